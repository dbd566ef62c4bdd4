package dev.pheromone.mqtt;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/// Our way to the broker. When a line is lost, the next question opens another, with the same
/// identifier and session; it is asked again until there is an answer or patience is over.
final class Link implements AutoCloseable {

    private static final Duration RETRY_PAUSE = Duration.ofMillis(50);

    /// How long one question waits for its answer before it is asked again.
    private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

    /// How many filters of finished readings are kept before the broker is told that nobody needs
    /// them: it writes its whole disk file each time that it is told such a thing.
    private static final int STALE_MAX = 100;

    private static final int RANDOM_BYTES = 8;

    /// As many messages come in one go from any broker that is not set to less: Mosquitto queues a
    /// thousand for a client, and throws away what is more.
    static final int CERTAIN_MAX = 500;

    /// Something that is asked of the broker. Asking twice must be harmless.
    interface Question<T> {
        T ask(Line line) throws IOException;
    }

    /// How much a filter lets through.
    enum Width {
        /// What concerns a few envelopes.
        NARROW,
        /// All that comes into an inbox.
        WIDE
    }

    private final MqttOptions options;
    private final Names names;
    private final String client;
    private final Post present;
    private final SecureRandom random = new SecureRandom();
    private final Set<Reading> readings = ConcurrentHashMap.newKeySet();
    private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
    private final Map<String, BlockingQueue<Post>> expected = new ConcurrentHashMap<>();
    private final Map<String, News> news = new ConcurrentHashMap<>();
    private final List<String> stale = new ArrayList<>();
    private final AtomicReference<@Nullable CompletableFuture<Line>> opening =
            new AtomicReference<>();
    private volatile @Nullable Line current;
    private volatile boolean isClosed;

    Link(MqttOptions options, Names names, String sinceAt) throws IOException {
        this.options = options;
        this.names = names;
        client = options.name() + "-" + nonce();
        present = Post.kept(names.present(client), sinceAt.getBytes(StandardCharsets.UTF_8));
        try {
            var _ = line();
        } catch (RefusedException | NotLetInException | InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new AwayException(e.getMessage() + ", expected a broker that answers", e);
        }
    }

    /// What nobody can guess, and nobody else has.
    String nonce() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /// The line that is up. Of those who find none one opens it, and the others wait for that.
    private Line line() throws IOException {
        @Nullable Line up = current;
        if (up != null && up.isUp() && !isClosed) {
            return up;
        }
        CompletableFuture<Line> own = new CompletableFuture<>();
        @Nullable CompletableFuture<Line> other = opening.compareAndExchange(null, own);
        if (other != null) {
            return opened(other);
        }
        try {
            Line line = open();
            own.complete(line);
            return line;
        } catch (IOException | RuntimeException e) {
            own.completeExceptionally(e);
            throw e;
        } finally {
            opening.set(null);
        }
    }

    private Line opened(CompletableFuture<Line> elsewhere) throws IOException {
        try {
            return elsewhere.get(options.patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException problem ? problem : new IOException(e);
        } catch (TimeoutException e) {
            throw noAnswer(options.patience());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + options.broker());
        }
    }

    private void checkOpen() throws RefusedException {
        if (isClosed) {
            throw new RefusedException("the transport is closed");
        }
    }

    private IOException noAnswer(Duration waited) {
        return new IOException(
                options.broker() + ": no answer within " + waited.toSeconds() + "s, expected one");
    }

    private Line open() throws IOException {
        checkOpen();
        @Nullable Line up = current;
        if (up != null && up.isUp()) {
            return up;
        }
        Line line =
                Line.open(
                        options,
                        client,
                        Line.Session.RESUMED,
                        Post.cleared(present.topic()),
                        this::hear);
        try {
            // Also of a session that is resumed: the line may have been lost, or the broker killed,
            // before it had these.
            List<String> filters = new ArrayList<>(List.of(names.to(client)));
            news.values().forEach(listened -> filters.add(listened.filter()));
            line.await(line.subscribe(filters, Line.Begin.WITH_NEW));
            checkOpen();
        } catch (IOException e) {
            line.close();
            throw e;
        }
        synchronized (stale) {
            if (line.isResumed() && !stale.isEmpty()) {
                line.unsubscribe(stale);
            }
            stale.clear();
        }
        current = line;
        var _ = line.publish(present);
        return line;
    }

    private void hear(Post post) {
        watches.forEach(watch -> watch.take(post));
        @Nullable BlockingQueue<Post> waiting = expected.get(post.correlation());
        @Nullable News arrival = news.get(post.topic());
        if (waiting != null) {
            waiting.add(post);
        } else if (arrival != null) {
            arrival.ring();
        } else if (post.isKept()) {
            readings.forEach(reading -> reading.take(post));
        }
    }

    /// The answer to `question`, which is asked until the broker is there to answer it.
    <T> T ask(Question<T> question) throws IOException {
        long end = System.nanoTime() + options.patience().toNanos();
        boolean isAsked = false;
        while (true) {
            try {
                Line line = line();
                isAsked = true;
                return question.ask(line);
            } catch (RefusedException | InterruptedIOException e) {
                throw e;
            } catch (NotLetInException e) {
                // That would say that nothing has happened; a try before this one may have arrived.
                throw isAsked ? new AwayException(String.valueOf(e.getMessage()), e) : e;
            } catch (IOException e) {
                if (System.nanoTime() - end >= 0) {
                    throw new AwayException(
                            e.getMessage()
                                    + "; what was asked may have happened, and asking again is"
                                    + " safe",
                            e);
                }
            }
            LockSupport.parkNanos(RETRY_PAUSE.toNanos());
        }
    }

    /// Hands these over. When this returns, the broker has written them to its file, if it writes
    /// at each change.
    void store(Post... posts) throws IOException {
        ask(line -> {
            CompletableFuture<?>[] handed = new CompletableFuture<?>[posts.length];
            for (int i = 0; i < posts.length; i++) {
                handed[i] = line.publish(posts[i]);
            }
            line.await(CompletableFuture.allOf(handed), ANSWER_MAX);
            return line.await(line.echo(ownTopic()), ANSWER_MAX);
        });
    }

    /// Says `post` to whoever listens now; if that fails, nobody is the worse for it.
    void tell(Post post) {
        @Nullable Line up = current;
        if (up != null) {
            up.tell(post);
        }
    }

    /// What the broker keeps under `filters`, by topic. If that is much, it may keep some of it
    /// back.
    Map<String, Post> read(List<String> filters, Width width) throws IOException {
        String id = nonce();
        // Of all tries: what comes late is of use to the next one, and what comes to an end late
        // had
        // its beginning before.
        BlockingQueue<Post> end = expect(id);
        Reading reading = new Reading(filters);
        readings.add(reading);
        try {
            return ask(line -> {
                try {
                    line.await(line.subscribe(filters, Line.Begin.WITH_KEPT), ANSWER_MAX);
                    // What was kept is on its way to us; this comes behind it.
                    line.tell(Post.passing(ownTopic(), new byte[0]).asking(id, ""));
                    if (poll(end, ANSWER_MAX) == null) {
                        throw noAnswer(ANSWER_MAX);
                    }
                    return reading.found();
                } finally {
                    forgetFilters(line, filters, width);
                }
            });
        } finally {
            readings.remove(reading);
            expected.remove(id);
        }
    }

    private void forgetFilters(Line line, List<String> filters, Width width) {
        synchronized (stale) {
            stale.addAll(filters);
            // Of a line that was lost, the next one tells the broker.
            if (!line.isUp() || (width == Width.NARROW && stale.size() < STALE_MAX)) {
                return;
            }
            watches.forEach(watch -> stale.removeAll(watch.filters()));
            if (!stale.isEmpty()) {
                // In here, so that who begins to listen does so after it.
                line.unsubscribe(stale);
                stale.clear();
            }
        }
    }

    /// Listens from now on to what happens under `filters`; empty if that is more than a broker
    /// surely sends in one go, or more than comes in time. It is not tried again: each time the
    /// broker would send all of it once more.
    Optional<Watch> watch(List<String> filters) throws IOException {
        return ask(line -> {
            Watch watch = new Watch(line, filters);
            synchronized (stale) {
                watches.add(watch);
            }
            boolean isWatching = false;
            try {
                line.await(line.subscribe(filters, Line.Begin.FOLLOWED), ANSWER_MAX);
                isWatching = catchUp(watch);
            } catch (RefusedException | InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                if (!line.isUp()) {
                    throw e;
                }
            } finally {
                if (!isWatching) {
                    forget(watch);
                }
            }
            return isWatching ? Optional.of(watch) : Optional.empty();
        });
    }

    /// Whether `watch` knows all that the broker had when this was asked.
    boolean catchUp(Watch watch) throws InterruptedIOException {
        long before = watch.heard();
        try {
            var _ = watch.line().await(watch.line().echo(ownTopic()), ANSWER_MAX);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            return false;
        }
        return watch.isCertain(before);
    }

    void forget(Watch watch) {
        watches.remove(watch);
        forgetFilters(watch.line(), watch.filters(), Width.NARROW);
    }

    /// What comes in answer to the question of this id; until `forget`.
    BlockingQueue<Post> expect(String id) {
        BlockingQueue<Post> answers = new LinkedBlockingQueue<>();
        expected.put(id, answers);
        return answers;
    }

    void forget(String id) {
        expected.remove(id);
    }

    /// The topic for answers to us.
    String ownTopic() {
        return names.to(client);
    }

    static @Nullable Post poll(BlockingQueue<Post> posts, Duration timeout) throws IOException {
        try {
            return posts.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for an answer");
        }
    }

    /// Listens for what is said under `topic`, by way of `filter`. What was lost with a line is
    /// listened for again.
    News listen(String topic, String filter) throws IOException {
        @Nullable News known = news.get(topic);
        if (known != null) {
            var _ = line();
            return known;
        }
        News fresh = new News(filter);
        ask(line -> line.await(line.subscribe(List.of(filter), Line.Begin.WITH_NEW), ANSWER_MAX));
        @Nullable News other = news.putIfAbsent(topic, fresh);
        return other == null ? fresh : other;
    }

    @Override
    public void close() {
        isClosed = true;
        @Nullable Line last = current;
        if (last != null && last.isUp()) {
            try {
                var _ = last.await(last.publish(Post.cleared(present.topic())), ANSWER_MAX);
            } catch (IOException e) {
                // Then the broker says it for us.
            }
            last.close();
        }
    }
}
