package dev.pheromone.selection;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/// Things in one order, of which only the first is ever asked for.
///
/// Nothing is taken out on purpose: what no longer belongs is dropped when it comes first, and
/// swept out when it may have become the larger half. That makes adding cheap, which is what a scan
/// of a full inbox mostly does.
final class LazyQueue<E> {

    private static final int SWEEP_MIN = 64;

    private final PriorityQueue<E> queue;
    private final Predicate<E> belongs;
    private int sweepAt = SWEEP_MIN;

    /// A queue of what `belongs`, which may change its answer to no at any time, but never back.
    LazyQueue(Comparator<E> order, Predicate<E> belongs) {
        this.queue = new PriorityQueue<>(order);
        this.belongs = belongs;
    }

    void add(E element) {
        if (queue.size() >= sweepAt) {
            queue.removeIf(belongs.negate());
            sweepAt = Math.max(SWEEP_MIN, 2 * queue.size());
        }
        queue.add(element);
    }

    /// The first that still belongs, or null if there is none.
    @Nullable E first() {
        E first = queue.peek();
        while (first != null && !belongs.test(first)) {
            queue.remove();
            first = queue.peek();
        }
        return first;
    }
}
