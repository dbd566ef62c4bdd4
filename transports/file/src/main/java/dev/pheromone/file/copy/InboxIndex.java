package dev.pheromone.file.copy;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.InboxWatcher;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.copy.Inspector.Sight;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// What is known of the files in one inbox, in picking order: a memory that can be thrown away at
/// any time.
///
/// Without a watcher each refresh lists the folder; with one, only what the kernel noticed is
/// looked at again, and a listing follows every now and then.
///
/// Whoever uses it holds its monitor, but for `await`.
public final class InboxIndex implements Closeable {

    /// A file in line.
    public record Entry(Path file, Header header, Urgency urgency, int attempts) {}

    /// How many names are listed in the time of one look for a name.
    private static final int LISTED_PER_LOOK = 4;

    /// How many files are looked at before the guard is asked again: about a millisecond's.
    private static final int BURST_MAX = 64;

    private final Disk files;
    private final Domain domain;
    private final Path folder;
    private final Inspector inspector;
    private final History history;
    private final HiveConfig config;
    private final FileLimits limits;

    private final WaitingLine<Path> line = new WaitingLine<>();
    private final Map<Path, Entry> entries = new HashMap<>();
    private final Map<Path, Sight.Bad> bad = new HashMap<>();
    private final Map<Path, Sight.Unfinished> unfinished = new HashMap<>();
    private final byte[] buffer = new byte[EnvelopeText.PREFIX_BYTES_MAX];
    private final Set<Path> noticed = new LinkedHashSet<>();
    private @Nullable InboxWatcher watcher;
    private @Nullable Instant scannedAt;

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
        if (isScanDue(now) || noticed.size() + unfinished.size() > BURST_MAX) {
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
        boolean trusting = watcher != null && scannedAt != null;
        Set<Path> missing = new HashSet<>(entries.keySet());
        missing.addAll(bad.keySet());
        List<Path> toExamine = new ArrayList<>();
        for (Path file : files.list(folder)) {
            if (isMailName(file) && !(missing.remove(file) && trusting)) {
                toExamine.add(file);
            }
        }
        // One listing proves nothing: a folder that changes while it is read may hide a name.
        toExamine.addAll(missing);
        examineAll(toExamine, now, histories(toExamine.size()));
        scannedAt = now;
    }

    private void examineAll(List<Path> toExamine, Instant now, Predicate<String> mayHaveHistory)
            throws IOException {
        for (int at = 0; at < toExamine.size(); at += BURST_MAX) {
            List<Path> burst = toExamine.subList(at, Math.min(at + BURST_MAX, toExamine.size()));
            try (Disk.Operation _ = files.begin()) {
                for (Path file : burst) {
                    examine(file, now, mayHaveHistory);
                }
            }
        }
    }

    /// Which ids have a history, by one listing if that is quicker than a look for each of `count`
    /// files. One that is missed costs nothing: it is read when the envelope is claimed.
    private Predicate<String> histories(int count) throws IOException {
        Optional<Set<String>> names =
                count <= BURST_MAX
                        ? Optional.empty()
                        : history.names(
                                domain,
                                (int) Math.min(Integer.MAX_VALUE, (long) LISTED_PER_LOOK * count));
        return names.<Predicate<String>>map(known -> known::contains).orElse(id -> true);
    }

    /// Names that begin with a dot are ours or an editor's, and writers that are careful use
    /// another ending until they are finished.
    public static boolean isMailName(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(HiveLayout.MAIL_SUFFIX) && !name.startsWith(".");
    }

    /// Looks at one file anew.
    private void examine(Path file, Instant now, Predicate<String> mayHaveHistory)
            throws IOException {
        forget(file);
        switch (inspector.glance(file, now, buffer)) {
            case Sight.Glimpse(var header, var stat) -> {
                try {
                    put(file, header, stat, now, mayHaveHistory);
                } catch (WithheldException e) {
                    throw e;
                } catch (IOException e) {
                    unfinished.put(
                            file,
                            new Sight.Unfinished(
                                    "its history can't be read: " + Trouble.reason(e)));
                }
            }
            case Sight.Bad sight -> bad.put(file, sight);
            case Sight.Unfinished sight -> unfinished.put(file, sight);
            case Sight.Mail mail ->
                    throw new IllegalStateException(
                            "a glance never reads a whole envelope: " + mail);
            case Sight.Gone gone -> {}
        }
    }

    private void put(
            Path file, Header header, Stat stat, Instant now, Predicate<String> mayHaveHistory)
            throws IOException {
        String id = header.id().text();
        History.Facts facts =
                mayHaveHistory.test(id) ? history.read(domain, id) : History.Facts.NONE;
        put(new Entry(file, header, urgency(header, stat, facts), facts.attempts()), now);
    }

    private void put(Entry entry, Instant now) {
        entries.put(entry.file(), entry);
        line.put(entry.file(), entry.urgency(), now);
    }

    public Urgency urgency(Header header, Stat stat, History.Facts facts) {
        return urgency(header, stat, facts, config);
    }

    public static Urgency urgency(
            Header header, Stat stat, History.Facts facts, HiveConfig config) {
        Duration ttl = header.ttl().duration();
        return new Urgency(
                header.id(),
                header.priority(),
                header.ts(),
                facts.firstSeen(stat),
                ttl,
                config.halfLife().of(ttl),
                facts.attempts(),
                facts.notBefore());
    }

    /// Corrects what is known of an entry, after a closer look at its history.
    public void update(Entry entry, Instant now) {
        put(entry, now);
    }

    public void forget(Path file) {
        line.remove(file);
        entries.remove(file);
        bad.remove(file);
        unfinished.remove(file);
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

    public Optional<Entry> pick(Instant now, Urgency.Turn turn) {
        return line.pick(now, turn).map(this::entry);
    }

    public Optional<Entry> firstExpired(Instant now) {
        return line.firstExpired(now).map(this::entry);
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
        return entries.size();
    }

    public Collection<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /// Since when the oldest waits, be it that it pauses after a failure; what is expired does not.
    public Optional<Instant> oldestWaiting(Instant now) {
        Instant oldest = null;
        for (Entry entry : entries.values()) {
            Urgency urgency = entry.urgency();
            if ((oldest == null || urgency.orderTime().isBefore(oldest))
                    && !urgency.isExpired(now)) {
                oldest = urgency.orderTime();
            }
        }
        return Optional.ofNullable(oldest);
    }

    /// Everything in the folder: mail in the order of picks of `turn`, then what is no mail.
    public List<Waiting> view(HiveLayout layout, Instant now, Urgency.Turn turn) {
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
