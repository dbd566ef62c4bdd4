package dev.pheromone;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/// The envelopes that wait in one inbox, kept in picking order, so that a pick costs the same from
/// ten as from a hundred thousand.
///
/// Order changes by itself as time passes: envelopes fall a class, end a pause, expire. Each has at
/// most one such change coming next, and they stand in line by its time; a pick first lets those
/// happen that are due. Time must not run backwards between calls; if a clock does, changes already
/// made stay made.
///
/// Not thread-safe.
///
/// @param <K> how the owner tells its envelopes apart
public final class WaitingLine<K> {

    private static final int CLASSES = Priority.values().length;

    private final Map<K, Entry<K>> entries = new HashMap<>();
    private final List<NavigableSet<Entry<K>>> byEffectiveClass = new ArrayList<>(CLASSES);
    private final NavigableSet<Entry<K>> byDrain = new TreeSet<>(comparing(Urgency.drainOrder()));
    private final NavigableSet<Entry<K>> byDue = new TreeSet<>(comparing(Urgency.dueOrder()));
    private final NavigableSet<Entry<K>> byChange =
            new TreeSet<>(
                    Comparator.comparing(Entry<K>::changesAt)
                            .thenComparing(comparing(Urgency.oldestFirst())));
    private final NavigableSet<Entry<K>> expired = new TreeSet<>(comparing(Urgency.oldestFirst()));
    private long arrivals;

    public WaitingLine() {
        for (int i = 0; i < CLASSES; i++) {
            byEffectiveClass.add(new TreeSet<>(comparing(Urgency.oldestFirst())));
        }
    }

    private static <K> Comparator<Entry<K>> comparing(Comparator<Urgency> order) {
        // Two files may carry one id; the serial number keeps both in the sets.
        return Comparator.comparing((Entry<K> e) -> e.urgency, order)
                .thenComparingLong(e -> e.serial);
    }

    /// Adds an envelope, or replaces what was known of it.
    public void put(K key, Urgency urgency, Instant now) {
        remove(key);
        Entry<K> entry = new Entry<>(key, urgency, arrivals++);
        entries.put(key, entry);
        place(entry, now);
    }

    public void remove(K key) {
        Entry<K> entry = entries.remove(key);
        if (entry != null) {
            unplace(entry);
        }
    }

    public boolean contains(K key) {
        return entries.containsKey(key);
    }

    public Collection<K> keys() {
        return List.copyOf(entries.keySet());
    }

    public int size() {
        return entries.size();
    }

    /// The envelope to take at `now` by the rule of `turn`, if any is ready.
    public Optional<K> pick(Instant now, Urgency.Turn turn) {
        settle(now);
        return switch (turn) {
            case DUE -> first(byDue);
            case DRAIN -> first(byDrain);
            case NORMAL -> firstOfClasses();
        };
    }

    private Optional<K> firstOfClasses() {
        for (NavigableSet<Entry<K>> ofClass : byEffectiveClass) {
            if (!ofClass.isEmpty()) {
                return first(ofClass);
            }
        }
        return Optional.empty();
    }

    /// An envelope whose time is over, if there is one.
    public Optional<K> firstExpired(Instant now) {
        settle(now);
        return first(expired);
    }

    /// When something that waits changes next: ends a pause, falls a class or expires.
    public Optional<Instant> nextChange() {
        return byChange.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(byChange.first().changesAt);
    }

    private static <K> Optional<K> first(NavigableSet<Entry<K>> set) {
        return set.isEmpty() ? Optional.empty() : Optional.of(set.first().key);
    }

    private void settle(Instant now) {
        while (!byChange.isEmpty() && !byChange.first().changesAt().isAfter(now)) {
            Entry<K> entry = byChange.first();
            unplace(entry);
            place(entry, now);
        }
    }

    private void place(Entry<K> entry, Instant now) {
        Urgency urgency = entry.urgency;
        if (urgency.isExpired(now)) {
            expired.add(entry);
            return;
        }
        Instant change = urgency.expiresAt();
        if (urgency.isReady(now)) {
            entry.effectiveClass = urgency.effectiveClass(now);
            byEffectiveClass.get(entry.effectiveClass).add(entry);
            byDrain.add(entry);
            byDue.add(entry);
            change = earlier(change, urgency.nextStepAt(now));
        } else {
            change = earlier(change, urgency.notBefore());
        }
        entry.changesAt = change;
        byChange.add(entry);
    }

    private static Instant earlier(Instant one, @Nullable Instant other) {
        return other != null && other.isBefore(one) ? other : one;
    }

    private void unplace(Entry<K> entry) {
        expired.remove(entry);
        if (entry.effectiveClass >= 0) {
            byEffectiveClass.get(entry.effectiveClass).remove(entry);
            byDrain.remove(entry);
            byDue.remove(entry);
            entry.effectiveClass = -1;
        }
        if (entry.changesAt != null) {
            byChange.remove(entry);
            entry.changesAt = null;
        }
    }

    private static final class Entry<K> {
        final K key;
        final Urgency urgency;
        final long serial;
        int effectiveClass = -1;
        @Nullable Instant changesAt;

        Entry(K key, Urgency urgency, long serial) {
            this.key = key;
            this.urgency = urgency;
            this.serial = serial;
        }

        Instant changesAt() {
            return changesAt == null ? Instant.MAX : changesAt;
        }
    }
}
