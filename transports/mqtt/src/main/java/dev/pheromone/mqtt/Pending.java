package dev.pheromone.mqtt;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// The answers that are waited for on one line. With it they are lost: the library would keep them
/// for a line that never comes.
final class Pending {

    private final Map<Long, CompletableFuture<?>> answers = new ConcurrentHashMap<>();
    private final AtomicLong count = new AtomicLong();
    private volatile boolean isOver;

    <T> CompletableFuture<T> add(CompletableFuture<T> answer) {
        long number = count.getAndIncrement();
        answers.put(number, answer);
        var _ = answer.whenComplete((_, _) -> answers.remove(number));
        if (isOver) {
            lose();
        }
        return answer;
    }

    /// Nothing comes any more.
    void lose() {
        isOver = true;
        for (CompletableFuture<?> answer : answers.values()) {
            answer.completeExceptionally(new IOException("the connection was lost"));
        }
    }
}
