package dev.pheromone.selection;

import dev.pheromone.envelope.Priority;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
    private final List<LazyQueue<Entry<K>>> byEffectiveClass = new ArrayList<>(CLASSES);
    private final LazyQueue<Entry<K>> byDrain =
            new LazyQueue<>(Entry::compareByDrain, Entry::isReady);
    private final LazyQueue<Entry<K>> byDue = new LazyQueue<>(Entry::compareByDue, Entry::isReady);
    private final LazyQueue<Entry<K>> expired =
            new LazyQueue<>(Entry::compareByAge, Entry::isExpired);
    private final LazyQueue<Change<K>> changes =
            new LazyQueue<>(Comparator.comparing(Change::at), Change::isComing);
    private long arrivals;

    /// An empty line.
    public WaitingLine() {
        for (int i = 0; i < CLASSES; i++) {
            int own = i;
            byEffectiveClass.add(new LazyQueue<>(Entry::compareByAge, entry -> entry.rank == own));
        }
    }

    /// Adds an envelope, or replaces what was known of it.
    public void put(K key, Urgency urgency, Instant now) {
        Entry<K> entry = new Entry<>(key, urgency, arrivals++);
        Entry<K> earlier = entries.put(key, entry);
        if (earlier != null) {
            earlier.leave();
        }
        place(entry, now);
    }

    /// Forgets an envelope; harmless if it is not there.
    public void remove(K key) {
        Entry<K> entry = entries.remove(key);
        if (entry != null) {
            entry.leave();
        }
    }

    /// Whether this envelope waits.
    public boolean contains(K key) {
        return entries.containsKey(key);
    }

    /// All that wait, in no order.
    public Collection<K> keys() {
        return List.copyOf(entries.keySet());
    }

    /// All of them as picks of `turn` would take them at `now`; then those that are paused, by the
    /// end of their pause, and those whose time is over, oldest first.
    public List<K> inOrder(Instant now, Urgency.Turn turn) {
        settle(now);
        Comparator<Entry<K>> order =
                switch (turn) {
                    case NORMAL -> Entry::compareByRank;
                    case DRAIN -> Entry::compareReadyByDrain;
                    case DUE -> Entry::compareReadyByDue;
                };
        return entries.values().stream().sorted(order).map(entry -> entry.key).toList();
    }

    /// How many wait.
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
        for (LazyQueue<Entry<K>> ofClass : byEffectiveClass) {
            Optional<K> first = first(ofClass);
            if (first.isPresent()) {
                return first;
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
        Change<K> next = changes.first();
        return next == null ? Optional.empty() : Optional.of(next.at());
    }

    private static <K> Optional<K> first(LazyQueue<Entry<K>> queue) {
        Entry<K> first = queue.first();
        return first == null ? Optional.empty() : Optional.of(first.key);
    }

    private void settle(Instant now) {
        for (Change<K> next = changes.first();
                next != null && !next.at().isAfter(now);
                next = changes.first()) {
            place(next.entry(), now);
        }
    }

    private void place(Entry<K> entry, Instant now) {
        Urgency urgency = entry.urgency;
        if (urgency.isExpired(now)) {
            entry.rank = Entry.EXPIRED;
            entry.changesAt = null;
            expired.add(entry);
            return;
        }
        Instant change = urgency.expiresAt();
        if (urgency.isReady(now)) {
            boolean wasReady = entry.isReady();
            entry.rank = urgency.effectiveClass(now);
            byEffectiveClass.get(entry.rank).add(entry);
            if (!wasReady) {
                byDrain.add(entry);
                byDue.add(entry);
            }
            change = earlier(change, urgency.nextStepAt(now));
        } else {
            change = earlier(change, urgency.notBefore());
        }
        entry.changesAt = change;
        changes.add(new Change<>(change, entry));
    }

    private static Instant earlier(Instant one, @Nullable Instant other) {
        return other != null && other.isBefore(one) ? other : one;
    }

    /// Something that will happen to an envelope by the passing of time, unless it is taken or
    /// replaced first.
    private record Change<K>(Instant at, Entry<K> entry) {
        boolean isComing() {
            return at.equals(entry.changesAt);
        }
    }

    /// One envelope, with what the orders compare worked out once, and kept in the object itself:
    /// in a long line each is compared many times.
    private static final class Entry<K> {
        /// Ranks beyond the classes.
        static final int PAUSED = CLASSES;

        static final int EXPIRED = CLASSES + 1;
        static final int GONE = CLASSES + 2;

        final K key;
        final Urgency urgency;
        final long orderSecond;
        final int orderNano;
        final long dueSecond;
        final int dueNano;
        final int drainClass;

        /// Two files may carry one id: this tells them apart.
        final long serial;

        /// The effective class while it can be picked.
        int rank = PAUSED;

        @Nullable Instant changesAt;

        Entry(K key, Urgency urgency, long serial) {
            this.key = key;
            this.urgency = urgency;
            Instant orderTime = urgency.orderTime();
            this.orderSecond = orderTime.getEpochSecond();
            this.orderNano = orderTime.getNano();
            Instant dueAt = urgency.dueAt();
            this.dueSecond = dueAt.getEpochSecond();
            this.dueNano = dueAt.getNano();
            this.drainClass = urgency.drainClass();
            this.serial = serial;
        }

        void leave() {
            rank = GONE;
            changesAt = null;
        }

        boolean isReady() {
            return rank < CLASSES;
        }

        boolean isExpired() {
            return rank == EXPIRED;
        }

        int compareByRank(Entry<K> other) {
            int order = Integer.compare(rank, other.rank);
            if (order == 0 && rank == PAUSED) {
                order = pausedUntil().compareTo(other.pausedUntil());
            }
            return order == 0 ? compareByAge(other) : order;
        }

        private Instant pausedUntil() {
            Instant until = urgency.notBefore();
            return until == null ? Instant.MIN : until;
        }

        int compareReadyByDrain(Entry<K> other) {
            return isReady() && other.isReady() ? compareByDrain(other) : compareByRank(other);
        }

        int compareReadyByDue(Entry<K> other) {
            return isReady() && other.isReady() ? compareByDue(other) : compareByRank(other);
        }

        /// As [Urgency#oldestFirst].
        int compareByAge(Entry<K> other) {
            int order = Long.compare(orderSecond, other.orderSecond);
            if (order == 0) {
                order = Integer.compare(orderNano, other.orderNano);
            }
            return order == 0 ? compareById(other) : order;
        }

        /// As [Urgency#drainOrder].
        int compareByDrain(Entry<K> other) {
            int order = Integer.compare(drainClass, other.drainClass);
            return order == 0 ? compareByAge(other) : order;
        }

        /// As [Urgency#dueOrder].
        int compareByDue(Entry<K> other) {
            int order = Long.compare(dueSecond, other.dueSecond);
            if (order == 0) {
                order = Integer.compare(dueNano, other.dueNano);
            }
            return order == 0 ? compareById(other) : order;
        }

        private int compareById(Entry<K> other) {
            int order = urgency.id().compareTo(other.urgency.id());
            return order == 0 ? Long.compare(serial, other.serial) : order;
        }
    }
}
