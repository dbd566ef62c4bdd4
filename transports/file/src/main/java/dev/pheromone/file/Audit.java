package dev.pheromone.file;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.log.KeyRecords;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.lock.Breach;
import dev.pheromone.lock.GivenLeave;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.LockRecord;
import dev.pheromone.lock.LockRecords;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/// Holds what was recorded against the files as they are: who writes past the guard is not stopped,
/// but found. A finding is an error only if it can't have come about in a way that is allowed.
public final class Audit {

    private static final String OVERRIDE = "policy_override";

    /// What tells of keys, locks and overrides, however long ago.
    private static final Set<String> GOVERNANCE =
            Set.of(KeyRecords.TRUST, KeyRecords.REVOKE, Breach.EVENT, OVERRIDE);

    private final FileTransport transport;
    private final Instant since;
    private final Disk files;
    private final HiveLayout layout;

    /// Which content a copy was sent and received with, by inbox and id.
    private final Map<String, Set<String>> recorded = new HashMap<>();

    private final Set<String> known = new HashSet<>();

    /// The events that tell with which content.
    private static final Set<String> SENT = Set.of("rsm_envelope_emit", "rsm_envelope_recv");

    private final KeyRecords keys = new KeyRecords();

    /// What was done to files under a lock, past the guard.
    private final Set<Breach> breaches = new LinkedHashSet<>();

    /// Paths and hashes of what people let be written in spite of a lock.
    private final Set<String> permitted = new HashSet<>();

    /// The ids that each inbox has or had, listed once more.
    private final Map<Domain, Set<String>> secondLooks = new HashMap<>();

    private final List<Finding> findings = new ArrayList<>();
    private int fileCount;
    private int eventCount;

    /// What an audit came to.
    ///
    /// @param files how many files were held against the log
    /// @param events how many events were read
    public record Report(List<Finding> findings, int files, int events) {

        /// How many things can't have come about in a way that is allowed.
        public int violations() {
            int count = 0;
            for (Finding finding : findings) {
                count += finding.severity() == Finding.Severity.ERROR ? 1 : 0;
            }
            return count;
        }

        /// The same, with more findings first.
        public Report with(List<Finding> more) {
            List<Finding> all = new ArrayList<>(more);
            all.addAll(findings);
            return new Report(all, files, events);
        }
    }

    /// A copy as it is on the disk.
    ///
    /// @param envelope null if it is none
    private record Copy(Catalog.Item item, @Nullable Envelope envelope) {}

    private Audit(FileTransport transport, PolicyGuard guard, Instant since) {
        this.transport = transport;
        this.since = since;
        this.files = new GuardedFiles(new LocalDisk(), guard);
        this.layout = transport.layout();
    }

    /// Audits all of a hive. Fails if a lock forbids a part of it: what was not seen is not known.
    public static Report run(FileTransport transport, LockFiles guard) throws IOException {
        Audit audit = new Audit(transport, guard, Instant.EPOCH);
        audit.checkOverrides(guard.overrides());
        audit.readLog();
        return audit.run(guard);
    }

    /// Audits locks, keys, the mail that is open, and the mail that was sent or ended since the day
    /// of `since`: of older mail nothing is read, neither files nor events.
    public static Report since(FileTransport transport, LockFiles guard, Instant since)
            throws IOException {
        Audit audit = new Audit(transport, guard, since);
        audit.readLogSince();
        return audit.run(guard);
    }

    private Report run(LockFiles guard) throws IOException {
        transport.embargo().events().forEach(this::note);
        checkKeys();
        checkLocks(guard.entries());
        for (Domain domain : transport.domains()) {
            look(domain);
        }
        return new Report(findings, fileCount, eventCount);
    }

    /// The trusted keys, against what people were recorded to trust.
    private void checkKeys() {
        for (KeyRecords.Difference difference : keys.differences(transport.trust())) {
            add(
                    Finding.Severity.ERROR,
                    layout.nameOf(layout.trust()) + ", key " + difference.kid(),
                    difference.found(),
                    difference.expected(),
                    "rsm keys confirm, if it is right as it is; else rsm keys revoke");
        }
    }

    /// What locks cover, against what was written down when they were set.
    private void checkLocks(List<LockEntry> inForce) throws IOException {
        LockRecords records = new LockRecords(new LocalDisk(), layout);
        for (Path lock : records.locks()) {
            String name = layout.nameOf(lock);
            boolean isInForce = inForce.stream().anyMatch(entry -> entry.declaredIn().equals(name));
            LockRecord record = records.of(lock).orElse(null);
            if (!isInForce || record == null) {
                add(
                        Finding.Severity.NOTE,
                        name,
                        "a lock that is over, or was changed, without a comparison",
                        "rsm unlock, which finds what was done meanwhile");
            } else if (record.scope().isReadable()) {
                breaches.addAll(record.breaches(files, layout));
                fileCount += record.inventory().files().size();
            } else {
                add(
                        Finding.Severity.NOTE,
                        name,
                        "not compared: what it covers may not be read",
                        "a comparison when it is lifted");
            }
            if (record != null && !record.inventory().isWhole()) {
                add(
                        Finding.Severity.NOTE,
                        name,
                        "a record of a part of what it covers",
                        "fewer files under one lock");
            }
        }
        for (Breach breach : breaches) {
            ContentHash hash = breach.hash();
            if (hash == null || !permitted.contains(breach.path() + " " + hash)) {
                add(
                        Finding.Severity.ERROR,
                        breach.path(),
                        breach.change() + " under lock " + breach.lock(),
                        "as it was when " + breach.declaredIn() + " was set");
            }
        }
    }

    /// One that counts for nothing may have been somebody's attempt.
    private void checkOverrides(List<GivenLeave> overrides) {
        for (GivenLeave given : overrides) {
            if (!given.problem().isEmpty() && !given.isOver()) {
                add(
                        Finding.Severity.WARNING,
                        given.file(),
                        "an override that counts for nothing (" + given.problem() + ")",
                        "one that a person made, by rsm override");
            }
        }
    }

    /// Takes in all that the log tells of the mail in question, and of keys and locks.
    private void readLogSince() throws IOException {
        Set<String> ids = new HashSet<>();
        for (Domain domain : transport.domains()) {
            for (Catalog.Item item : transport.catalog().since(domain, since)) {
                if (item.id() != null) {
                    ids.add(item.id().text());
                }
            }
        }
        read(
                RseScope.ALL.ofTypes(SENT).since(since),
                event -> {
                    if (SENT.contains(event.type()) && !event.ts().isBefore(since)) {
                        event.about().ifPresent(ids::add);
                    }
                });
        read(
                RseScope.ALL.ofTypes(GOVERNANCE),
                event -> {
                    if (GOVERNANCE.contains(event.type())) {
                        note(event);
                    }
                });
        read(
                RseScope.ALL.about(ids),
                event -> {
                    if (event.about().filter(ids::contains).isPresent()) {
                        note(event);
                    }
                });
    }

    private void read(RseScope scope, Consumer<RseEvent> action) throws IOException {
        try (RseReading reading = transport.log().read(Cursor.START, scope)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read read) {
                    action.accept(read.event());
                }
            }
        }
    }

    private void readLog() throws IOException {
        try (RseReading reading = transport.log().read(Cursor.START)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                switch (next.get()) {
                    case RseEntry.Read(var _, var _, RseEvent event, var _) -> note(event);
                    case RseEntry.Bad(long offset, var _, String reason, var _) ->
                            add(
                                    Finding.Severity.WARNING,
                                    layout.nameOf(layout.log()) + " at byte " + offset,
                                    "a line that is not an event (" + reason + ")",
                                    "whole lines");
                    case RseEntry.Restart _ -> {}
                }
            }
        }
    }

    private void note(RseEvent event) {
        eventCount++;
        keys.note(event);
        if (event.data().has("via")) {
            // About mail on another transport, of which there are no files here.
            return;
        }
        String id = event.data().optionalText("id").or(() -> ref(event)).orElse("");
        String key = event.data().optionalText("inbox").orElse("") + "/" + id;
        known.add(key);
        if (event.type().equals(Breach.EVENT)) {
            breaches.add(Breach.of(event.data()));
        } else if (event.type().equals(OVERRIDE)) {
            permitted.add(
                    event.data().optionalText("path").orElse("")
                            + " "
                            + event.data().optionalText("hash").orElse(""));
        }
        if (event instanceof RseEvent.RsmEnvelopeEmit
                || event instanceof RseEvent.RsmEnvelopeRecv) {
            event.data()
                    .optionalText("hash")
                    .ifPresent(hash -> recorded.merge(key, Set.of(hash), Audit::union));
        }
    }

    /// Mostly one hash, told twice: a set of one costs a fifth of one that can grow.
    private static Set<String> union(Set<String> known, Set<String> more) {
        if (known.containsAll(more)) {
            return known;
        }
        Set<String> all = new HashSet<>(known);
        all.addAll(more);
        return all;
    }

    private static Optional<String> ref(RseEvent event) {
        return event.data().optionalText("ref");
    }

    private static String key(Domain domain, EnvelopeId id) {
        return domain.name() + "/" + id;
    }

    private void look(Domain domain) throws IOException {
        Map<String, List<Copy>> copies = new HashMap<>();
        Catalog catalog = transport.catalog();
        catalog.forEach(
                catalog.since(domain, since),
                item -> {
                    Copy copy = read(item);
                    EnvelopeId id = item.id();
                    if (copy != null && id != null) {
                        fileCount++;
                        copies.computeIfAbsent(key(domain, id), _ -> new ArrayList<>()).add(copy);
                        check(domain, id, copy);
                    }
                });
        checkSeen(domain, copies);
        for (String key : recorded.keySet()) {
            if (key.startsWith(domain.name() + "/")
                    && !copies.containsKey(key)
                    && isGone(domain, key.substring(domain.name().length() + 1))) {
                add(
                        Finding.Severity.ERROR,
                        key,
                        "no file, though the log has it as sent",
                        "a file in inbox, active or archive: nothing is ever deleted");
            }
        }
    }

    private @Nullable Copy read(Catalog.Item item) throws IOException {
        byte[] bytes;
        try {
            bytes = transport.catalog().read(item);
        } catch (NoSuchFileException e) {
            // It went on its way while we looked.
            return null;
        }
        try {
            return new Copy(item, Envelope.parse(bytes));
        } catch (MalformedEnvelopeException e) {
            return new Copy(item, null);
        }
    }

    private void check(Domain domain, EnvelopeId id, Copy copy) {
        String thing = copy.item().location();
        State state = copy.item().state();
        Set<String> hashes = recorded.getOrDefault(key(domain, id), Set.of());
        if (!known.contains(key(domain, id))) {
            add(Finding.Severity.NOTE, thing, "arrived without an event", "an event");
        }
        Envelope envelope = copy.envelope();
        // Of the same id and other content there may be a file in these: that is what they are for.
        if (state == State.CONFLICT || state == State.DUPLICATE) {
            return;
        }
        if (envelope == null) {
            if (!hashes.isEmpty()) {
                add(
                        Finding.Severity.ERROR,
                        thing,
                        "no envelope any more",
                        "the envelope that was sent, with body " + hashes.iterator().next());
            }
            return;
        }
        String body = ContentHash.of(envelope.body()).toString();
        if (!hashes.isEmpty() && !hashes.contains(body)) {
            add(
                    Finding.Severity.ERROR,
                    thing,
                    "a body with hash " + body,
                    hashes.iterator().next() + ", as it was sent");
        } else if (!envelope.hashMatches() && state == State.DONE) {
            add(
                    Finding.Severity.ERROR,
                    thing,
                    "a body with hash " + body,
                    envelope.hash() + ", as its header says");
        } else if (!envelope.hashMatches()) {
            add(
                    Finding.Severity.WARNING,
                    thing,
                    "a body with hash " + body,
                    envelope.hash() + ", as its header says");
        }
    }

    /// Every name in the seen-set says which content was finished, and all that is done has one.
    private void checkSeen(Domain domain, Map<String, List<Copy>> copies) throws IOException {
        Set<EnvelopeId> seen = new HashSet<>();
        for (Path shard : shards(domain, copies)) {
            for (Path entry : files.list(shard)) {
                String name = String.valueOf(entry.getFileName());
                int dot = name.indexOf('.');
                if (dot > 0 && EnvelopeId.isId(name.substring(0, dot))) {
                    EnvelopeId id = EnvelopeId.parse(name.substring(0, dot));
                    if (isPartial() && !copies.containsKey(key(domain, id))) {
                        continue;
                    }
                    fileCount++;
                    seen.add(id);
                    checkSeen(
                            domain,
                            id,
                            layout.nameOf(entry),
                            name.substring(dot + 1),
                            copies.getOrDefault(key(domain, id), List.of()));
                }
            }
        }
        copies.values().stream()
                .flatMap(List::stream)
                .filter(copy -> copy.item().state() == State.DONE)
                .filter(copy -> copy.item().id() != null && !seen.contains(copy.item().id()))
                .forEach(copy ->
                        add(
                                Finding.Severity.ERROR,
                                copy.item().location(),
                                "finished mail that is not in the seen-set",
                                "a name in "
                                        + layout.nameOf(layout.seen(domain))
                                        + ": without it the same mail would be done again"));
    }

    /// The folders of the seen-set in which these copies may be.
    private Collection<Path> shards(Domain domain, Map<String, List<Copy>> copies)
            throws IOException {
        if (!isPartial()) {
            return files.list(layout.seen(domain));
        }
        Set<Path> shards = new TreeSet<>();
        for (List<Copy> ofId : copies.values()) {
            EnvelopeId id = ofId.getFirst().item().id();
            if (id != null) {
                shards.add(transport.hive().copies.seen().shard(domain, id));
            }
        }
        return shards;
    }

    /// Whether older mail is left out.
    private boolean isPartial() {
        return since.isAfter(Instant.EPOCH);
    }

    private void checkSeen(
            Domain domain, EnvelopeId id, String thing, String hex, List<Copy> copies)
            throws IOException {
        for (Copy copy : copies) {
            Envelope envelope = copy.envelope();
            if (envelope == null
                    || envelope.hash().hex().equals(hex)
                    || ContentHash.of(envelope.body()).hex().equals(hex)) {
                return;
            }
        }
        if (!copies.isEmpty()) {
            add(
                    Finding.Severity.ERROR,
                    thing,
                    "another content in " + copies.getFirst().item().location(),
                    "sha256:" + hex + ", as it was finished");
        } else if (isGone(domain, id.text())) {
            add(
                    Finding.Severity.ERROR,
                    thing,
                    "a finished envelope without a file",
                    "a file in the archive: nothing is ever deleted");
        }
    }

    /// Whether a second look does not find it either, for what moved while we took the first.
    private boolean isGone(Domain domain, String id) throws IOException {
        Set<String> there = secondLooks.get(domain);
        if (there == null) {
            there = new HashSet<>();
            for (Catalog.Item item : transport.catalog().all(domain)) {
                if (item.id() != null) {
                    there.add(item.id().text());
                }
            }
            secondLooks.put(domain, there);
        }
        return !there.contains(id);
    }

    private void add(Finding.Severity severity, String thing, String found, String expected) {
        add(severity, thing, found, expected, null);
    }

    private void add(
            Finding.Severity severity,
            String thing,
            String found,
            String expected,
            @Nullable String fix) {
        findings.add(new Finding(severity, thing, found, expected, fix));
    }
}
