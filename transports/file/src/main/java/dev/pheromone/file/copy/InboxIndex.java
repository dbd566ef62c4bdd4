package dev.pheromone.file.copy;

import dev.pheromone.HiveConfig;
import dev.pheromone.InboxOverview;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.InboxWatcher;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;
import dev.pheromone.selection.WaitingLine;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What is known of the files in one inbox, in picking order: a memory that can be thrown away at
/// any time.
///
/// Without a watcher each refresh lists the folder; with one, only what the kernel noticed is
/// looked at again, and a listing follows every now and then.
///
/// Headers that an earlier process kept ([KeptHeaders]) are believed until somebody acts on them: a
/// copy that is picked, found to be expired or [#confirmed] was looked at by this process, and so
/// was its history. A header that is out of date may put its envelope in a wrong place of a list,
/// and never decides what becomes of it. Only sound headers are kept: files that are unfinished,
/// malformed or unreadable are opened each time.
///
/// Whoever uses it holds its monitor, but for `await`.
public final class InboxIndex implements Closeable {

    /// A file in line.
    ///
    /// @param changed the file's ctime
    /// @param hasHistory whether something is known of earlier claims
    /// @param isKept whether another process read the header, and this one has not
    public record Entry(
            Path file,
            Header header,
            Urgency urgency,
            int attempts,
            Instant changed,
            boolean hasHistory,
            boolean isKept) {}

    /// How many names are listed in the time of one look for a name.
    private static final int LISTED_PER_LOOK = 4;

    /// How many are put in line for one pick: more than a few are seldom passed over.
    private static final int DRAWN_MAX = 64;

    /// Fewer headers are not kept: they are as quickly read from their files.
    private static final int KEPT_MIN = 64;

    /// Headers are kept anew when more than one in so many was missing.
    private static final int MISSING_PART = 64;

    private final Disk files;
    private final Domain domain;
    private final Path folder;
    private final Inspector inspector;
    private final History history;
    private final HiveConfig config;
    private final FileLimits limits;
    private final KeptHeaders keptHeaders;

    private final WaitingLine<Path> line = new WaitingLine<>();
    private final Map<Path, Entry> entries = new HashMap<>();
    private final Map<Path, Sight.Bad> bad = new HashMap<>();
    private final Map<Path, Sight.Unfinished> unfinished = new HashMap<>();
    private final byte[] buffer = new byte[EnvelopeText.PREFIX_BYTES_MAX];
    private final Set<Path> noticed = new LinkedHashSet<>();
    private @Nullable InboxWatcher watcher;
    private @Nullable Instant scannedAt;

    /// What an earlier process kept, and which of its records still stand for a file here. None of
    /// them has a history, and none is among the entries.
    private KeptHeaders.Content kept = KeptHeaders.Content.NONE;

    private final BitSet believed = new BitSet();

    /// No believed record expires before this; null if nobody looked yet.
    private @Nullable Instant believedUntil;

    private @Nullable Basis basis;
    private @Nullable Drawn drawn;

    /// What a scan from nothing went by.
    ///
    /// @param marks the folders, just before they were listed
    private record Basis(
            long beganNanos, KeptHeaders.Marks marks, boolean hasNames, boolean hasHistories) {}

    /// The first records of an order at one moment were put in line; every other comes after
    /// `last`.
    private record Drawn(Urgency.Turn turn, Instant now, Urgency last) {}

    public InboxIndex(
            Disk files,
            HiveLayout layout,
            Domain domain,
            Inspector inspector,
            History history,
            HiveConfig config,
            FileLimits limits) {
        this.files = files;
        this.domain = domain;
        this.folder = layout.inbox(domain);
        this.inspector = inspector;
        this.history = history;
        this.config = config;
        this.limits = limits;
        this.keptHeaders = new KeptHeaders(files, layout, domain);
    }

    /// Begins to watch, so that later refreshes cost what changed and not what waits.
    void watch() throws IOException {
        if (watcher == null) {
            watcher = new InboxWatcher(files, folder);
            scannedAt = null;
        }
    }

    /// Waits for a notice of the kernel; the next refresh heeds it. Returns at once if that has
    /// something to do anyway.
    public void await(Duration timeout) throws IOException, InterruptedException {
        InboxWatcher watching;
        synchronized (this) {
            watch();
            if (watcher == null || scannedAt == null) {
                return;
            }
            watching = watcher;
        }
        InboxWatcher.Notices notices = watching.await(timeout);
        synchronized (this) {
            // What went may have come again before it is our turn: that is looked at.
            notices.gone().stream().filter(InboxIndex::isMailName).forEach(noticed::add);
            heed(new InboxWatcher.Notices(notices.names(), Set.of(), notices.isIncomplete()));
        }
    }

    private void heed(InboxWatcher.Notices notices) {
        notices.gone().forEach(noticed::remove);
        notices.gone().forEach(this::forget);
        notices.names().stream().filter(InboxIndex::isMailName).forEach(noticed::add);
        if (notices.isIncomplete()) {
            scannedAt = null;
        }
    }

    public void refresh(Instant now) throws IOException {
        refresh(now, false);
    }

    /// A refresh that lists the folder whatever was noticed.
    public void relist(Instant now) throws IOException {
        refresh(now, true);
    }

    /// Refreshes if there is little to look at; else says false, and it is to be done in its own
    /// time, while no lock is kept waiting.
    public boolean refreshAtOnce(Instant now) throws IOException {
        if (watcher == null) {
            return false;
        }
        heed(watcher.poll());
        if (isScanDue(now) || noticed.size() + unfinished.size() > Disk.BURST_MAX) {
            return false;
        }
        examineNoticed(now);
        return true;
    }

    private void refresh(Instant now, boolean lists) throws IOException {
        if (watcher != null) {
            heed(watcher.poll());
        }
        if (lists || isScanDue(now)) {
            scan(now);
        }
        examineNoticed(now);
    }

    private boolean isScanDue(Instant now) {
        return watcher == null
                || scannedAt == null
                || !now.isBefore(scannedAt.plus(limits.scanInterval()));
    }

    private void examineNoticed(Instant now) throws IOException {
        Set<Path> toExamine = new LinkedHashSet<>(unfinished.keySet());
        toExamine.addAll(noticed);
        examineAll(List.copyOf(toExamine), now, id -> true);
        noticed.clear();
    }

    private void scan(Instant now) throws IOException {
        // A process that looks once believes nothing it knew; one that stays trusts the notices in
        // between.
        if (watcher != null && scannedAt != null) {
            scanWatched(now);
        } else {
            try {
                scanAnew(now);
            } catch (WithheldException e) {
                // Headers of mail that nobody may read must not lie beside it.
                keptHeaders.drop();
                throw e;
            }
        }
        if (size() < KEPT_MIN) {
            // Nobody needs them any more, and they tell of mail that may be gone.
            keptHeaders.drop();
        }
        scannedAt = now;
    }

    private void scanWatched(Instant now) throws IOException {
        unpackAll(now);
        Set<Path> missing = known();
        List<Path> toExamine = new ArrayList<>();
        for (Path file : files.list(folder)) {
            if (isMailName(file) && !missing.remove(file)) {
                toExamine.add(file);
            }
        }
        // One listing proves nothing: a folder that changes while it is read may hide a name.
        toExamine.addAll(missing);
        examineAll(toExamine, now, histories(toExamine.size()));
    }

    private Set<Path> known() {
        Set<Path> known = new HashSet<>(entries.keySet());
        known.addAll(bad.keySet());
        known.addAll(unfinished.keySet());
        return known;
    }

    private void scanAnew(Instant now) throws IOException {
        long beganNanos = System.nanoTime();
        KeptHeaders.Marks marks;
        KeptHeaders.Content found;
        boolean hasNames;
        List<Path> names;
        try (Disk.Operation _ = files.begin()) {
            marks = keptHeaders.marks();
            found = keptHeaders.read();
            hasNames = found.isOfInbox(marks.inbox());
            names = hasNames ? List.of() : files.list(folder);
        }
        disbelieve();
        Set<Path> before = known();
        List<Path> toExamine = new ArrayList<>();
        BitSet toBelieve = new BitSet(found.size());
        if (hasNames) {
            toBelieve.set(0, found.size());
            found.others().forEach(name -> toExamine.add(folder.resolve(name)));
        } else {
            for (Path file : names) {
                String name = nameOf(file);
                if (isMailName(name)) {
                    int record = found.find(name);
                    if (record >= 0) {
                        toBelieve.set(record);
                    } else {
                        toExamine.add(file);
                    }
                }
            }
        }
        toExamine.forEach(before::remove);
        for (Path file : before) {
            int record = found.find(nameOf(file));
            if (record >= 0 && toBelieve.get(record)) {
                forget(file);
            } else {
                // One listing proves nothing: a folder that changes while it is read may hide a
                // name.
                toExamine.add(file);
            }
        }
        examineAll(toExamine, now, histories(toExamine.size()));
        believe(found, toBelieve, now);
        int read = size() - toBelieve.cardinality();
        basis =
                new Basis(
                        beganNanos,
                        marks,
                        hasNames,
                        found.size() == 0 || found.isOfHistories(marks.histories()));
        if (read > size() / MISSING_PART) {
            keep(basis);
        }
    }

    /// Takes over what was kept of files that are there by their names. Whether each may be read is
    /// asked as if it were opened.
    private void believe(KeptHeaders.Content found, BitSet records, Instant now)
            throws IOException {
        if (records.isEmpty()) {
            return;
        }
        if (!files.isFree()) {
            requireAll(found, records);
        }
        kept = found;
        believed.or(records);
        each(
                records,
                record -> {
                    // Another claim may have come and gone since then.
                    if (found.hasHistory(record)) {
                        unpack(record, now);
                    }
                });
    }

    private void requireAll(KeptHeaders.Content found, BitSet records) throws IOException {
        for (int record = records.nextSetBit(0); record >= 0; ) {
            try (Disk.Operation _ = files.begin()) {
                for (int i = 0; i < Disk.BURST_MAX && record >= 0; i++) {
                    files.require(found.file(record, folder), Access.READ);
                    record = records.nextSetBit(record + 1);
                }
            }
        }
    }

    private interface Deed {
        void on(int record) throws IOException;
    }

    private static void each(BitSet records, Deed deed) throws IOException {
        for (int i = records.nextSetBit(0); i >= 0; i = records.nextSetBit(i + 1)) {
            deed.on(i);
        }
    }

    private void disbelieve() {
        kept = KeptHeaders.Content.NONE;
        believed.clear();
        believedUntil = null;
        drawn = null;
    }

    /// Puts a file in line by its kept header.
    private void unpack(int record, Instant now) throws IOException {
        believed.clear(record);
        Path file = kept.file(record, folder);
        Header header;
        try {
            header = kept.header(record);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            examineAll(List.of(file), now, id -> true);
            return;
        }
        boolean hasHistory = kept.hasHistory(record);
        place(file, header, kept.changed(record), id -> hasHistory, true, now);
    }

    private void unpackAll(Instant now) throws IOException {
        each(believed, record -> unpack(record, now));
        disbelieve();
    }

    private Urgency urgencyOf(int record) {
        return urgency(
                kept.id(record),
                kept.priority(record),
                kept.ts(record),
                kept.ttl(record),
                kept.changed(record),
                History.Facts.NONE,
                config);
    }

    /// Puts those in line whose time is over.
    private void unpackExpired(Instant now) throws IOException {
        if (believed.isEmpty() || (believedUntil != null && now.isBefore(believedUntil))) {
            return;
        }
        Instant until = Instant.MAX;
        for (int i = believed.nextSetBit(0); i >= 0; i = believed.nextSetBit(i + 1)) {
            Instant expiresAt = expiresAt(i);
            if (!now.isBefore(expiresAt)) {
                unpack(i, now);
            } else if (expiresAt.isBefore(until)) {
                until = expiresAt;
            }
        }
        believedUntil = until;
    }

    private Instant expiresAt(int record) {
        return Urgency.expiresAt(kept.ts(record), kept.changed(record), kept.ttl(record));
    }

    /// Puts the first few of an order in line, so that a single pick needs not all of them. Whoever
    /// picks more has them all unpacked.
    private void draw(Instant now, Urgency.Turn turn) throws IOException {
        if (believed.isEmpty() || isDrawn(now, turn)) {
            return;
        }
        if (drawn != null) {
            unpackAll(now);
            return;
        }
        record Candidate(Urgency urgency, int record) {}
        Comparator<Urgency> order = Urgency.order(turn, now);
        PriorityQueue<Candidate> first =
                new PriorityQueue<>(Comparator.comparing(Candidate::urgency, order.reversed()));
        for (int i = believed.nextSetBit(0); i >= 0; i = believed.nextSetBit(i + 1)) {
            Urgency urgency = urgencyOf(i);
            Candidate last = first.peek();
            if (last == null || first.size() < DRAWN_MAX) {
                first.add(new Candidate(urgency, i));
            } else if (order.compare(urgency, last.urgency()) < 0) {
                first.remove();
                first.add(new Candidate(urgency, i));
            }
        }
        Candidate last = Objects.requireNonNull(first.peek());
        drawn = new Drawn(turn, now, last.urgency());
        for (Candidate candidate : first) {
            unpack(candidate.record(), now);
        }
    }

    /// Whether what is first in line comes before everything that is not in line.
    private boolean isDrawn(Instant now, Urgency.Turn turn) {
        Drawn known = drawn;
        return known != null
                && known.turn() == turn
                && known.now().equals(now)
                && line.pick(now, turn)
                        .filter(file ->
                                Urgency.order(turn, now)
                                                .compare(entry(file).urgency(), known.last())
                                        <= 0)
                        .isPresent();
    }

    /// How many kept headers are not what the files say: a look at every file, which believes
    /// nothing.
    public int countWrong(Instant now) throws IOException {
        KeptHeaders.Marks marks = keptHeaders.marks();
        KeptHeaders.Content found = keptHeaders.read();
        boolean hasNames = found.isOfInbox(marks.inbox());
        BitSet unseen = new BitSet();
        unseen.set(0, found.size());
        int wrong = 0;
        for (Path file : files.list(folder)) {
            int record = isMailName(file) ? found.find(nameOf(file)) : -1;
            if (record >= 0) {
                unseen.clear(record);
                wrong += isRight(found, record, file, now) ? 0 : 1;
            } else if (hasNames && isMailName(file) && !found.others().contains(nameOf(file))) {
                wrong++;
            }
        }
        return hasNames ? wrong + unseen.cardinality() : wrong;
    }

    private boolean isRight(KeptHeaders.Content found, int record, Path file, Instant now)
            throws IOException {
        return switch (inspector.glance(file, now, buffer)) {
            case Sight.Glimpse(var header, var _) -> header.equals(found.header(record));
            case Sight.Gone _ -> true;
            case Sight.Bad _, Sight.Unfinished _, Sight.Mail _ -> false;
        };
    }

    /// Throws away what was kept for other processes.
    public void drop() {
        keptHeaders.drop();
    }

    /// Learns which envelopes got a history since their headers were kept: those were claimed, and
    /// came back.
    private void recallHistories(Instant now) throws IOException {
        List<Path> unclaimed = new ArrayList<>();
        for (Entry entry : entries.values()) {
            if (entry.isKept() && !entry.hasHistory()) {
                unclaimed.add(entry.file());
            }
        }
        Predicate<String> mayHaveHistory = histories(unclaimed.size());
        unclaimed.removeIf(file -> !mayHaveHistory.test(entry(file).header().id().text()));
        examineAll(unclaimed, now, id -> true);
    }

    /// Keeps the headers for other processes, if there are enough.
    private void keep(Basis from) {
        if (size() < KEPT_MIN) {
            return;
        }
        Set<Path> others = new LinkedHashSet<>(bad.keySet());
        others.addAll(unfinished.keySet());
        boolean isText =
                Stream.concat(others.stream(), entries.keySet().stream())
                        .allMatch(file -> folder.resolve(nameOf(file)).equals(file));
        KeptHeaders.Draft draft =
                new KeptHeaders.Draft(
                        new KeptHeaders.Marks(
                                isText ? from.marks().inbox() : KeptHeaders.FolderMark.UNKNOWN,
                                from.hasHistories()
                                        ? from.marks().histories()
                                        : KeptHeaders.FolderMark.UNKNOWN),
                        from.beganNanos(),
                        others.stream().map(InboxIndex::nameOf).toList());
        for (int i = believed.nextSetBit(0); i >= 0; i = believed.nextSetBit(i + 1)) {
            draft.put(kept, i);
        }
        for (Entry entry : entries.values()) {
            draft.put(
                    new KeptHeaders.Kept(
                            nameOf(entry.file()),
                            entry.header(),
                            entry.changed(),
                            entry.hasHistory()));
        }
        keptHeaders.write(draft);
    }

    private void examineAll(List<Path> toExamine, Instant now, Predicate<String> mayHaveHistory)
            throws IOException {
        files.forEach(toExamine, file -> examine(file, now, mayHaveHistory));
    }

    /// Which ids have a history, by one listing if that is quicker than a look for each of `count`
    /// files. One that is missed costs nothing: it is read when the envelope is claimed.
    private Predicate<String> histories(int count) throws IOException {
        Optional<Set<String>> names =
                count <= Disk.BURST_MAX
                        ? Optional.empty()
                        : history.names(
                                domain,
                                (int) Math.min(Integer.MAX_VALUE, (long) LISTED_PER_LOOK * count));
        return names.<Predicate<String>>map(known -> known::contains).orElse(id -> true);
    }

    /// Names that begin with a dot are ours or an editor's, and writers that are careful use
    /// another ending until they are finished.
    public static boolean isMailName(Path file) {
        return isMailName(nameOf(file));
    }

    static boolean isMailName(String name) {
        return name.endsWith(HiveLayout.MAIL_SUFFIX) && !name.startsWith(".");
    }

    private static String nameOf(Path file) {
        return String.valueOf(file.getFileName());
    }

    /// Looks at one file anew.
    private void examine(Path file, Instant now, Predicate<String> mayHaveHistory)
            throws IOException {
        forget(file);
        switch (inspector.glance(file, now, buffer)) {
            case Sight.Glimpse(var header, var stat) ->
                    place(file, header, stat.changed(), mayHaveHistory, false, now);
            case Sight.Bad sight -> bad.put(file, sight);
            case Sight.Unfinished sight -> unfinished.put(file, sight);
            case Sight.Mail mail ->
                    throw new IllegalStateException(
                            "a glance never reads a whole envelope: " + mail);
            case Sight.Gone gone -> {}
        }
    }

    private void place(
            Path file,
            Header header,
            Instant changed,
            Predicate<String> mayHaveHistory,
            boolean isKept,
            Instant now)
            throws IOException {
        String id = header.id().text();
        try {
            History.Facts facts =
                    mayHaveHistory.test(id) ? history.read(domain, id) : History.Facts.NONE;
            put(entry(file, header, changed, facts, isKept), now);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            unfinished.put(
                    file, new Sight.Unfinished("its history can't be read: " + Trouble.reason(e)));
        }
    }

    private Entry entry(
            Path file, Header header, Instant changed, History.Facts facts, boolean isKept) {
        return new Entry(
                file,
                header,
                urgency(header, changed, facts, config),
                facts.attempts(),
                changed,
                !facts.steps().isEmpty(),
                isKept);
    }

    private void put(Entry entry, Instant now) {
        entries.put(entry.file(), entry);
        line.put(entry.file(), entry.urgency(), now);
    }

    /// What decides when an envelope is taken.
    ///
    /// @param changed the ctime of its file
    public static Urgency urgency(
            Header header, Instant changed, History.Facts facts, HiveConfig config) {
        return urgency(
                header.id(),
                header.priority(),
                header.ts(),
                header.ttl().duration(),
                changed,
                facts,
                config);
    }

    private static Urgency urgency(
            EnvelopeId id,
            Priority priority,
            Instant ts,
            Duration ttl,
            Instant changed,
            History.Facts facts,
            HiveConfig config) {
        return new Urgency(
                id,
                priority,
                ts,
                facts.firstSeen(changed),
                ttl,
                config.halfLife().of(ttl),
                facts.attempts(),
                facts.notBefore());
    }

    /// Corrects what is known of a file, after a closer look at it and its history.
    public void update(Path file, Header header, Stat stat, History.Facts facts, Instant now) {
        put(entry(file, header, stat.changed(), facts, false), now);
    }

    public void forget(Path file) {
        line.remove(file);
        boolean isKnown = entries.remove(file) != null;
        isKnown |= bad.remove(file) != null;
        isKnown |= unfinished.remove(file) != null;
        if (!isKnown && !believed.isEmpty()) {
            int record = kept.find(nameOf(file));
            if (record >= 0) {
                believed.clear(record);
            }
        }
    }

    /// Keeps a file out of the line until it is looked at again.
    public void postpone(Path file, Sight.Unfinished sight) {
        forget(file);
        unfinished.put(file, sight);
    }

    public void condemn(Path file, Sight.Bad sight) {
        forget(file);
        bad.put(file, sight);
    }

    public Optional<Entry> pick(Instant now, Urgency.Turn turn) throws IOException {
        while (true) {
            unpackExpired(now);
            draw(now, turn);
            Optional<Path> first = line.pick(now, turn);
            if (first.isEmpty() || !lookAnew(first.get(), now)) {
                return first.map(this::entry);
            }
        }
    }

    public Optional<Entry> firstExpired(Instant now) throws IOException {
        while (true) {
            unpackExpired(now);
            Optional<Path> first = line.firstExpired(now);
            if (first.isEmpty() || !lookAnew(first.get(), now)) {
                return first.map(this::entry);
            }
        }
    }

    /// What is known of a file once this process has looked at it; empty if it is no mail.
    public Optional<Entry> confirmed(Entry entry, Instant now) throws IOException {
        boolean _ = lookAnew(entry.file(), now);
        return Optional.ofNullable(entries.get(entry.file()));
    }

    /// Looks at a file of which only a kept header is known; false if this process knows it.
    private boolean lookAnew(Path file, Instant now) throws IOException {
        Entry entry = entries.get(file);
        if (entry == null || !entry.isKept()) {
            return false;
        }
        examineAll(List.of(file), now, id -> true);
        Entry found = entries.get(file);
        if (found != null && !found.header().equals(entry.header())) {
            // Somebody wrote another envelope into the file; there may be more of that.
            keptHeaders.drop();
        }
        return true;
    }

    private Entry entry(Path file) {
        Entry entry = entries.get(file);
        if (entry == null) {
            throw new IllegalStateException(file + " is in line but not among the entries");
        }
        return entry;
    }

    public Map<Path, Sight.Bad> bad() {
        return Map.copyOf(bad);
    }

    /// How many envelopes wait, expired ones included.
    public int size() {
        return entries.size() + believed.cardinality();
    }

    public Collection<Entry> entries(Instant now) throws IOException {
        unpackAll(now);
        return List.copyOf(entries.values());
    }

    /// Since when the oldest waits, be it that it pauses after a failure; what is expired does not.
    public Optional<Instant> oldestWaiting(Instant now) {
        Instant oldest = null;
        for (Entry entry : entries.values()) {
            if (!entry.urgency().isExpired(now)) {
                oldest = earlier(oldest, entry.urgency().orderTime());
            }
        }
        for (int i = believed.nextSetBit(0); i >= 0; i = believed.nextSetBit(i + 1)) {
            if (now.isBefore(expiresAt(i))) {
                oldest = earlier(oldest, Urgency.orderTimeOf(kept.ts(i), kept.changed(i)));
            }
        }
        return Optional.ofNullable(oldest);
    }

    private static Instant earlier(@Nullable Instant known, Instant other) {
        return known == null || other.isBefore(known) ? other : known;
    }

    /// Everything in the folder, in figures.
    public InboxOverview overview(HiveLayout layout, Instant now, Urgency.Turn turn)
            throws IOException {
        Optional<Entry> next = pick(now, turn);
        if (next.isEmpty()) {
            return InboxOverview.of(view(layout, now, turn));
        }
        keepAtRest(now);
        Instant oldest = null;
        Instant firstExpiry = null;
        for (Entry entry : entries.values()) {
            oldest = earlier(oldest, entry.urgency().orderTime());
            firstExpiry = earlier(firstExpiry, entry.urgency().expiresAt());
        }
        for (int i = believed.nextSetBit(0); i >= 0; i = believed.nextSetBit(i + 1)) {
            oldest = earlier(oldest, Urgency.orderTimeOf(kept.ts(i), kept.changed(i)));
            firstExpiry = earlier(firstExpiry, expiresAt(i));
        }
        return new InboxOverview(
                size(),
                bad.size() + unfinished.size(),
                oldest,
                firstExpiry,
                mail(layout, next.get()));
    }

    /// Keeps what is known if the folder is at rest, and others would list it: then they need not.
    private void keepAtRest(Instant now) {
        Basis from = basis;
        basis = null;
        if (from != null
                && !(from.hasNames() && from.hasHistories())
                && !from.marks().inbox().isYoung(now)) {
            keep(from);
        }
    }

    /// Everything in the folder: mail in the order of picks of `turn`, then what is no mail.
    public List<Waiting> view(HiveLayout layout, Instant now, Urgency.Turn turn)
            throws IOException {
        unpackAll(now);
        Basis from = basis;
        if (from != null && !from.hasHistories()) {
            recallHistories(now);
            basis = new Basis(from.beganNanos(), from.marks(), from.hasNames(), true);
        }
        keepAtRest(now);
        List<Waiting> view = new ArrayList<>();
        for (Path file : line.inOrder(now, turn)) {
            view.add(mail(layout, entry(file)));
        }
        unfinished.forEach((file, sight) ->
                view.add(new Waiting.Bad(layout.nameOf(file), sight.reason(), null)));
        bad.forEach((file, sight) ->
                view.add(new Waiting.Bad(layout.nameOf(file), sight.reason(), sight.id())));
        return view;
    }

    public Waiting.Mail mail(HiveLayout layout, Entry entry) {
        return new Waiting.Mail(
                entry.header(), entry.urgency(), entry.attempts() + 1, layout.nameOf(entry.file()));
    }

    @Override
    public void close() throws IOException {
        if (watcher != null) {
            watcher.close();
        }
    }
}
