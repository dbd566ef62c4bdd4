package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.session.passkey.Page;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Runs looks, so that many boards cost little more than one, and none waits for long: equal looks
/// share one run, also for a moment after its beginning.
final class BoardLooks implements AutoCloseable {

    /// So long ago a look may have begun whose answer is given to others, too.
    private static final Duration SHARED = Duration.ofMillis(500);

    /// How long a browser waits for a look. The run goes on, and its answer is for the next one.
    private static final Duration TIME_MAX = Duration.ofSeconds(10);

    /// More at a time would only slow each other down.
    private static final int AT_ONCE = 4;

    /// Beyond this many, a browser is told to come back.
    private static final int WAITING_MAX = 64;

    private record Key(Actor actor, List<String> words) {}

    private record Run(long began, CompletableFuture<Board.Ran> end) {

        boolean isShared() {
            return !end.isDone() || System.nanoTime() - began < SHARED.toNanos();
        }
    }

    private final Board board;

    /// A look asks nobody for anything.
    private final Page page;

    private final Duration timeMax;
    private final Map<Key, Run> runs = new ConcurrentHashMap<>();
    private final ExecutorService threads =
            Executors.newFixedThreadPool(
                    AT_ONCE, Thread.ofPlatform().daemon().name("board-", 0).factory());

    BoardLooks(Board board) {
        this(board, TIME_MAX);
    }

    BoardLooks(Board board, Duration timeMax) {
        this.board = board;
        this.page = new Page("", board.challenges(), null, null, false);
        this.timeMax = timeMax;
    }

    Board.Ran look(Actor actor, List<String> words) {
        runs.values().removeIf(run -> !run.isShared());
        if (runs.size() >= WAITING_MAX) {
            throw later("busy", "too many looks at once");
        }
        Run run = runs.computeIfAbsent(new Key(actor, words), this::begin);
        try {
            return run.end().get(timeMax.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw later("slow", "the hive did not answer within " + timeMax.toSeconds() + " s");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw later("busy", "the server is being stopped");
        }
    }

    private static ProblemException later(String code, String detail) {
        return Problem.of(503, code, detail).with("Retry-After", "2").thrown();
    }

    private Run begin(Key key) {
        return new Run(
                System.nanoTime(),
                CompletableFuture.supplyAsync(
                        () -> board.run(key.actor(), key.words(), "", page), threads));
    }

    /// Something was done: what was seen before is not shown any more.
    void forget() {
        runs.clear();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
