package dev.pheromone.server;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/// The last value of something that is dear to find out: made once at a time, and anew only when it
/// is too old or for something else.
final class Kept<K, V> {

    /// Finds the value out.
    interface Maker<V> {
        V make() throws IOException;
    }

    private record Entry<K, V>(K key, V value, long madeAt) {}

    private final long freshNanos;
    private final ReentrantLock turn = new ReentrantLock();
    private @Nullable Entry<K, V> last;

    Kept(Duration fresh) {
        this.freshNanos = fresh.toNanos();
    }

    V get(K key, Maker<V> maker) throws IOException {
        turn.lock();
        try {
            Entry<K, V> entry = last;
            if (entry != null
                    && entry.key().equals(key)
                    && System.nanoTime() - entry.madeAt() < freshNanos) {
                return entry.value();
            }
            V value = maker.make();
            last = new Entry<>(key, value, System.nanoTime());
            return value;
        } finally {
            turn.unlock();
        }
    }
}
