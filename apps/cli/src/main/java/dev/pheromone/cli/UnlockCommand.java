package dev.pheromone.cli;

import dev.pheromone.Json;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.file.Breach;
import dev.pheromone.file.HiveLayout;
import dev.pheromone.file.LockEntry;
import dev.pheromone.file.LockFiles;
import dev.pheromone.file.Locksmith;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.Authority;
import dev.pheromone.session.LockEvents;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.ProblemException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// `rsm unlock`: lifts a lock, for people.
final class UnlockCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of("unlock", Group.GOVERNANCE, "lifts a lock; for people")
                .usage("rsm unlock hive [--by NAME]")
                .usage("rsm unlock dnr|do-not-alter|do-not-erase PATTERN [--by NAME]")
                .required(
                        "WHAT",
                        "hive, or how the files are locked: dnr, do-not-alter, do-not-erase",
                        LockWhat.LIFTABLE)
                .optional("PATTERN", "the pattern of the lock, as rsm lock shows it")
                .opt(Opt.value("by", "NAME", "who lifts it, if there is no terminal to ask at"))
                .opt(Opt.flag("release", "also deliver what waits in the embargo"))
                .note(
                        "It asks for confirmation at the terminal, or for a person's key if the"
                                + " hive trusts one. In an agent's session it is refused. The lock"
                                + " itself is kept in .embargo/archive/locks.")
                .example("rsm unlock hive", "lets everybody continue")
                .example("rsm unlock hive --release", "also delivers what was sent meanwhile")
                .example("rsm unlock dnr \"**/*.pem\" --by you", "from a script of yours")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        HiveLayout layout = TypedHive.find(call);
        LockFiles guard = OpenHive.guard(call, layout);
        Locksmith smith = new Locksmith(layout, guard);
        LockWhat what = LockWhat.parse(String.valueOf(call.args().operand(0)));
        if (what.kind() != null) {
            return unlockPattern(call, layout, guard, smith, what.kind());
        }
        what.refusePattern(call);
        return unlockHive(call, layout, guard, smith);
    }

    private static Answer unlockHive(
            Invocation call, HiveLayout layout, LockFiles guard, Locksmith smith)
            throws IOException {
        if (!smith.isHiveLocked()) {
            return releaseOnly(call, layout, guard);
        }
        String reason = smith.hiveReason();
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        Authority.underLock(call, layout, guard),
                        "lifting the lock of the hive",
                        "unlock");
        Locksmith.Lifted lifted;
        try {
            lifted = smith.unlockHive(call.now()).orElse(null);
        } catch (InterruptedException e) {
            throw LockCommand.interrupted(e);
        }
        if (lifted == null) {
            throw new CliException(
                    ErrorCode.NO_SUCH_LOCK, "somebody else has lifted the lock meanwhile");
        }
        LockEvents events = new LockEvents(call, layout, guard);
        events.lifted(LockWhat.HIVE, HiveLayout.HIVE_FOLDER, reason, person, smith.hiveLock());
        events.breached(lifted.breaches());
        return new Lifted(
                LockWhat.HIVE,
                HiveLayout.HIVE_FOLDER,
                List.of(smith.hiveLock()),
                person,
                comeHome(call, person),
                waiting(call));
    }

    /// Releases what an earlier unlocking left in the mirror, or died before it could release.
    private static Answer releaseOnly(Invocation call, HiveLayout layout, LockFiles guard)
            throws IOException {
        int waiting;
        try (OpenHive hive = TypedHive.open(call)) {
            waiting = hive.transport().kept().size();
        }
        CliException notLocked = new CliException(ErrorCode.NO_SUCH_LOCK, "the hive is not locked");
        if (waiting == 0) {
            throw notLocked.hint("what is:").fix("rsm lock");
        }
        if (!call.args().has("release")) {
            throw notLocked
                    .hint("%d in the embargo can be released:".formatted(waiting))
                    .fix("rsm embargo release");
        }
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        Authority.underLock(call, layout, guard),
                        "releasing mail",
                        "release");
        return new Lifted(
                LockWhat.HIVE,
                HiveLayout.HIVE_FOLDER,
                List.of(),
                person,
                comeHome(call, person),
                waiting(call));
    }

    /// Brings back what waited in the mirror: outcomes and events in any case, mail if it was asked
    /// for.
    private static EmbargoCommand.@Nullable Released comeHome(
            Invocation call, Authority.Person person) throws IOException {
        try (OpenHive hive = TypedHive.open(call)) {
            hive.transport().bringHome();
            return call.args().has("release")
                    ? EmbargoCommand.release(call, hive, hive.transport().kept(), person)
                    : null;
        }
    }

    /// How many wait in the mirror; none where we can't look: the lock is lifted all the same.
    private static int waiting(Invocation call) throws IOException {
        try (OpenHive hive = TypedHive.open(call)) {
            return hive.transport().kept().size();
        } catch (WithheldException | CliException | ProblemException e) {
            return 0;
        }
    }

    private static Answer unlockPattern(
            Invocation call, HiveLayout layout, LockFiles guard, Locksmith smith, LockKind kind)
            throws IOException {
        String pattern = LockWhat.pattern(call, layout);
        String reason = "";
        // Lists may be written by hand, and so in other forms.
        Set<String> forms = new LinkedHashSet<>();
        for (LockEntry entry : guard.entries()) {
            if (entry.kind() == kind && LockWhat.oneForm(entry.pattern()).equals(pattern)) {
                forms.add(entry.pattern());
                reason = entry.reason();
            }
        }
        if (forms.isEmpty() && !smith.isHiveLocked()) {
            throw none(kind, pattern);
        }
        forms.add(pattern);
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        Authority.underLock(call, layout, guard),
                        "lifting the lock " + kind + " on " + pattern,
                        "unlock");
        List<String> lists = new ArrayList<>();
        List<Breach> breaches = new ArrayList<>();
        try {
            for (String form : forms) {
                Locksmith.Lifted lifted = smith.unlock(kind, form, call.now());
                lists.addAll(lifted.lists());
                breaches.addAll(lifted.breaches());
            }
        } catch (InterruptedException e) {
            throw LockCommand.interrupted(e);
        } catch (Locksmith.SharedListException e) {
            throw new CliException(ErrorCode.CONFLICT, String.valueOf(e.getMessage()), e)
                    .hint("take the entry out of that file yourself");
        }
        if (lists.isEmpty()) {
            throw none(kind, pattern);
        }
        LockEvents events = new LockEvents(call, layout, guard);
        for (String list : lists) {
            events.lifted(kind.toString(), pattern, reason, person, list);
        }
        events.breached(breaches);
        return new Lifted(
                kind.toString(),
                pattern,
                lists,
                person,
                call.args().has("release") ? comeHome(call, person) : null,
                waiting(call));
    }

    private static CliException none(LockKind kind, String pattern) {
        return new CliException(
                        ErrorCode.NO_SUCH_LOCK,
                        "no lock " + kind + " on " + ShellWords.quote(pattern))
                .hint("what is locked:")
                .fix("rsm lock");
    }

    /// @param lists the files that were the lock; none if it was gone already
    /// @param waiting how many wait in the mirror now
    private record Lifted(
            String kind,
            String pattern,
            List<String> lists,
            Authority.Person person,
            EmbargoCommand.@Nullable Released released,
            int waiting)
            implements Answer {

        @Override
        public @Nullable CliException failure() {
            return released == null ? null : released.failure();
        }

        @Override
        public Json.Obj json() {
            Json.Obj json =
                    Json.obj()
                            .put("kind", kind)
                            .put("pattern", pattern)
                            .putTexts("lifted", lists)
                            .put("by", person.name())
                            .put("proof", person.proof())
                            .put("waiting", waiting);
            return released == null ? json : json.put("released", Json.arr(released.items()));
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    (kind.equals(LockWhat.HIVE)
                                    ? lists.isEmpty()
                                            ? "the hive was not locked; mail is released"
                                            : "the hive is unlocked"
                                    : "the lock "
                                            + kind
                                            + " on "
                                            + SafeText.line(pattern)
                                            + " is lifted")
                            + " ("
                            + SafeText.line(person.told())
                            + ")");
            if (released != null) {
                released.show(screen);
            } else if (waiting > 0) {
                screen.line(EmbargoCommand.told(waiting));
            }
        }
    }
}
