package dev.pheromone.cli.mail;

import dev.pheromone.envelope.EnvelopeId;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/// How often commands gave each envelope back in a row, as far as this worker remembers, and how
/// long it is left alone therefore. Safe for use by several threads.
public final class GivenBack {

    private static final Duration PAUSE_MIN = Duration.ofSeconds(5);
    private static final Duration PAUSE_MAX = Duration.ofMinutes(1);
    private static final int DOUBLINGS_MAX = 10;

    /// What is forgotten begins with the shortest pause again.
    private static final int REMEMBERED_MAX = 1_000;

    private final Map<EnvelopeId, Integer> times =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<EnvelopeId, Integer> eldest) {
                    return size() > REMEMBERED_MAX;
                }
            };

    /// Counts that it was given back; returns for how long.
    public synchronized Duration again(EnvelopeId id) {
        return pause(times.merge(id, 1, Integer::sum));
    }

    /// It ended in another way.
    public synchronized void forget(EnvelopeId id) {
        times.remove(id);
    }

    /// The pause after time number `count`, counted from 1.
    public static Duration pause(int count) {
        Duration pause = PAUSE_MIN.multipliedBy(1L << Math.min(count - 1, DOUBLINGS_MAX));
        return pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause;
    }
}
