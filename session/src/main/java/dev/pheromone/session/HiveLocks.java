package dev.pheromone.session;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.Breach;
import dev.pheromone.lock.Leave;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;
import dev.pheromone.session.caller.ApprovedGuards;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.TypedPattern;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The locks of one hive as one caller sets, lifts and overrides them, with a record of each: works
/// whether or not the hive can be opened.
///
/// Anybody may set a lock. To lift or to override one takes a person, whom [#authority] finds.
public final class HiveLocks {

    /// The kind of the lock on a hive as a whole, in records and answers.
    public static final String HIVE = "hive";

    private static final String OUTSIDE_GUARD = "outside-guard";

    private final Caller caller;
    private final HiveLayout layout;
    private final LockFiles guard;
    private final Locksmith smith;

    public HiveLocks(Caller caller, HiveLayout layout) {
        this(caller, layout, OpenHive.guard(caller, layout));
    }

    HiveLocks(Caller caller, HiveLayout layout, LockFiles guard) {
        this.caller = caller;
        this.layout = layout;
        this.guard = guard;
        this.smith = new Locksmith(layout, guard);
    }

    /// A lock that is in force, or a guard program that has a say.
    ///
    /// @param hash the content that is locked wherever it lies, or that of a guard program
    /// @param approved whether a guard program may run; null for other locks
    public record Active(
            String kind,
            String pattern,
            @Nullable String hash,
            String reason,
            @Nullable Instant expires,
            String declaredIn,
            @Nullable Boolean approved) {

        /// The pattern, or the content.
        public String covers() {
            return pattern.isEmpty() ? String.valueOf(hash) : pattern;
        }
    }

    /// What is locked now: the hive as a whole, what lists cover, and what guard programs say.
    public List<Active> active() throws IOException {
        List<Active> all = new ArrayList<>();
        if (smith.isHiveLocked()) {
            all.add(
                    new Active(
                            HIVE,
                            HiveLayout.HIVE_FOLDER,
                            null,
                            smith.hiveReason(),
                            null,
                            smith.hiveLock(),
                            null));
        }
        for (LockEntry entry : guard.entries()) {
            all.add(
                    new Active(
                            entry.kind().toString(),
                            entry.pattern(),
                            entry.hash() == null ? null : entry.hash().toString(),
                            entry.reason(),
                            entry.expires(),
                            entry.declaredIn(),
                            null));
        }
        try {
            List<Locksmith.Tool> tools = smith.tools();
            Set<ContentHash> approved =
                    tools.isEmpty() ? Set.of() : new ApprovedGuards(caller).get();
            for (Locksmith.Tool tool : tools) {
                boolean isApproved = approved.contains(tool.hash());
                all.add(
                        new Active(
                                OUTSIDE_GUARD,
                                HiveLayout.HIVE_FOLDER,
                                tool.hash().toString(),
                                isApproved ? "it is asked" : "not approved: it locks the hive",
                                null,
                                tool.file(),
                                isApproved));
            }
        } catch (WithheldException e) {
            // Under the hive's own lock guard programs may not be looked at, and nobody asks them.
        }
        return all;
    }

    /// A lock that is set.
    ///
    /// @param reason the one that is written down: of a lock that was set before, its own
    public record Placed(
            String kind,
            String pattern,
            String reason,
            @Nullable Instant expires,
            Locksmith.Placed placed) {}

    /// A lock that is lifted.
    ///
    /// @param lists the files that were the lock; none if there was no such lock
    public record Lifted(String kind, String pattern, List<String> lists) {}

    /// A content that may be written in spite of a lock.
    ///
    /// @param file where that is written down
    public record Permitted(Leave leave, String file) {}

    public HiveLayout layout() {
        return layout;
    }

    public LockFiles guard() {
        return guard;
    }

    public Locksmith smith() {
        return smith;
    }

    /// Who may lift and override.
    public Authority authority() throws IOException {
        return Authority.underLock(caller, layout, guard);
    }

    public boolean isHiveLocked() throws IOException {
        return smith.isHiveLocked();
    }

    /// Locks the hive as a whole; in force when this returns.
    public Placed lockHive(String reason) throws IOException {
        if (!smith.isHiveLocked()) {
            // Before it is in force: afterwards the log may not be written.
            events().set(HIVE, HiveLayout.HIVE_FOLDER, reason, null, smith.hiveLock());
        }
        Locksmith.Placed placed;
        try {
            placed = smith.lockHive(reason, caller.actor().name());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        warnOfLost(placed);
        String inForce = placed.isNew() && placed.lost().isEmpty() ? reason : smith.hiveReason();
        if (!placed.isNew() && !reason.isEmpty() && !reason.equals(inForce)) {
            caller.warn(
                    "the reason \""
                            + reason
                            + "\" is not written: the lock was set before, with"
                            + " its own");
        }
        return new Placed(HIVE, HiveLayout.HIVE_FOLDER, inForce, null, placed);
    }

    /// Locks what `pattern` covers; in force when this returns.
    ///
    /// @throws IllegalArgumentException if `pattern` is none
    public Placed lock(LockKind kind, String pattern, String reason, @Nullable Instant expires)
            throws IOException {
        Locksmith.Placed placed;
        try {
            placed = smith.lock(kind, pattern, reason, expires);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        warnOfLost(placed);
        events().set(kind.toString(), pattern, reason, expires, placed.declaredIn());
        return new Placed(kind.toString(), pattern, reason, expires, placed);
    }

    /// Lifts the lock of the hive as a whole.
    ///
    /// @param reason why the hive was locked
    public Lifted unlockHive(String reason, Authority.Person person) throws IOException {
        Locksmith.Lifted lifted;
        try {
            lifted = smith.unlockHive(caller.now()).orElse(null);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        if (lifted == null) {
            throw new ProblemException(
                    Code.NO_SUCH_LOCK, "somebody else has lifted the lock meanwhile");
        }
        LockEvents events = events();
        events.lifted(HIVE, HiveLayout.HIVE_FOLDER, reason, person, smith.hiveLock());
        events.breached(lifted.breaches());
        return new Lifted(HIVE, HiveLayout.HIVE_FOLDER, List.of(smith.hiveLock()));
    }

    /// The locks of this kind on `pattern`, found before a person is asked to lift them.
    ///
    /// @param forms how the pattern is written in the lists
    /// @param reason why it was locked
    public record OnPattern(LockKind kind, String pattern, Set<String> forms, String reason) {}

    /// The locks of this kind on `pattern`, which is in its one form; empty if there are none.
    /// Under the lock of the hive nobody knows, and whether there are any shows when they are
    /// lifted.
    public Optional<OnPattern> find(LockKind kind, String pattern) throws IOException {
        String reason = "";
        // Lists may be written by hand, and so in other forms.
        Set<String> forms = new LinkedHashSet<>();
        for (LockEntry entry : guard.entries()) {
            if (entry.kind() == kind && TypedPattern.oneForm(entry.pattern()).equals(pattern)) {
                forms.add(entry.pattern());
                reason = entry.reason();
            }
        }
        if (forms.isEmpty() && !smith.isHiveLocked()) {
            return Optional.empty();
        }
        forms.add(pattern);
        return Optional.of(new OnPattern(kind, pattern, forms, reason));
    }

    /// Lifts the locks that were found.
    public Lifted unlock(OnPattern found, Authority.Person person) throws IOException {
        List<String> lists = new ArrayList<>();
        List<Breach> breaches = new ArrayList<>();
        try {
            for (String form : found.forms()) {
                Locksmith.Lifted lifted = smith.unlock(found.kind(), form, caller.now());
                lists.addAll(lifted.lists());
                breaches.addAll(lifted.breaches());
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (Locksmith.SharedListException e) {
            throw new ProblemException(Code.CONFLICT, String.valueOf(e.getMessage()), e)
                    .hint("take the entry out of that file yourself");
        }
        LockEvents events = events();
        for (String list : lists) {
            events.lifted(found.kind().toString(), found.pattern(), found.reason(), person, list);
        }
        events.breached(breaches);
        return new Lifted(found.kind().toString(), found.pattern(), lists);
    }

    /// Lets one content be written to `target` in spite of a lock.
    ///
    /// @param requestor who asked for it; empty for the person
    /// @throws IllegalArgumentException if `target` is none
    public Permitted permit(
            String target,
            ContentHash content,
            String reason,
            String requestor,
            Ttl ttl,
            Authority.Person person)
            throws IOException {
        Leave leave =
                new Leave(
                        caller.now().truncatedTo(ChronoUnit.MILLIS),
                        requestor.isEmpty() ? person.name() : requestor,
                        person.name(),
                        target,
                        reason,
                        ttl,
                        content);
        String file = smith.permit(leave, person.signer());
        events().permitted(leave, file, person);
        return new Permitted(leave, file);
    }

    private LockEvents events() {
        return new LockEvents(caller, layout, guard);
    }

    private void warnOfLost(Locksmith.Placed placed) {
        for (String lost : placed.lost()) {
            caller.warn("the lock is set, but " + lost);
        }
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException told =
                new InterruptedIOException("interrupted while waiting for work to end");
        told.initCause(e);
        return told;
    }
}
