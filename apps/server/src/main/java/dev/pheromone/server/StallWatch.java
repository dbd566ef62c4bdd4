package dev.pheromone.server;

import java.io.Closeable;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// Looks every now and then at all answers on their way, and ends those that nobody reads.
final class StallWatch implements Closeable {

    private final Duration stallMax;
    private final Set<WatchedOutput> answers = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService watch;

    StallWatch(Duration stallMax) {
        this.stallMax = stallMax;
        this.watch =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("stalled-answers").factory());
        long period = Math.clamp(stallMax.toMillis() / 4, 50, 5_000);
        var _ = watch.scheduleWithFixedDelay(this::look, period, period, TimeUnit.MILLISECONDS);
    }

    /// The same output, under watch until `end`.
    WatchedOutput begin(OutputStream out) {
        WatchedOutput answer = new WatchedOutput(out);
        answers.add(answer);
        return answer;
    }

    void end(WatchedOutput answer) {
        answers.remove(answer);
    }

    /// How many answers are on their way.
    int answering() {
        return answers.size();
    }

    private void look() {
        answers.forEach(answer -> answer.endIfStalled(stallMax));
    }

    @Override
    public void close() {
        watch.shutdown();
    }
}
