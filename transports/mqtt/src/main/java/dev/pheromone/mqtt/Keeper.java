package dev.pheromone.mqtt;

import dev.pheromone.Domain;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// The one process that decides who gets what from an inbox. All others ask it.
///
/// It is connected under the inbox's own identifier, and the broker lets in one at a time: whoever
/// connects under it next puts this one out, and nothing that this one writes afterwards arrives. A
/// keeper that lost its line is over; the next one reads everything from the broker.
final class Keeper implements Pieces.Writer, AutoCloseable {

    private static final Duration ECHO_MAX = Duration.ofSeconds(1);

    private final Domain domain;
    private final Names names;
    private final Desk desk;
    private final Line line;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().name("keeper").factory());
    private final Queue<Post> arrived = new ConcurrentLinkedQueue<>();
    private List<CompletableFuture<Boolean>> handed = new ArrayList<>();
    private List<Post> later = new ArrayList<>();

    /// Is there when everything is written that has been decided so far.
    private CompletableFuture<?> written = CompletableFuture.completedFuture(true);

    private final Map<String, CompletableFuture<Answer>> onTheirWay = new ConcurrentHashMap<>();
    private final Duration patience;

    /// The word by which our time as keeper is known.
    private final String office;

    private int asked;
    private volatile boolean hasResigned;

    Keeper(MqttOptions options, InstantSource clock, Domain domain, Names names, Link link)
            throws IOException {
        this.domain = domain;
        this.names = names;
        patience = options.patience();
        Inspection inspection = new Inspection(options, names, domain);
        Pieces pieces = new Pieces(names, domain, inspection, this);
        office = link.nonce();
        desk = new Desk(clock, new Shelf(link, names, domain), inspection, pieces, office);
        line = Line.open(options, names.keeper(domain), Line.Session.NEW, null, this::hear);
        try {
            // First we hear what comes, then we look what is there: nothing comes in between.
            line.await(
                    line.subscribe(
                            List.of(names.ask(domain), names.allMailOf(domain)),
                            Line.Begin.WITH_NEW));
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private void hear(Post post) {
        if (!post.topic().equals(names.ask(domain))) {
            arrived.add(post);
            var _ = onThread(this::takeInEarly);
        } else if (!post.answerTo().isEmpty() && !hasResigned) {
            tell(new Answer.Heard(), post);
            var _ = answer(post).thenAccept(answer -> tell(answer, post));
        }
    }

    /// As [#answer], for who asks in this process and not by way of the broker: that there is
    /// nothing is said only after all has been heard that had come to the broker before.
    CompletableFuture<Answer> answerHere(Ask ask) {
        return answer(ask)
                .thenCompose(answer ->
                        answer instanceof Answer.Nothing
                                ? caughtUp().thenCompose(_ -> answer(ask))
                                : CompletableFuture.completedFuture(answer));
    }

    /// Is there when we have heard what the broker had when this was asked.
    private CompletableFuture<Boolean> caughtUp() {
        return line.echo(names.ask(domain))
                .completeOnTimeout(false, ECHO_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .thenCompose(isHeard ->
                        isHeard
                                ? CompletableFuture.completedFuture(true)
                                : CompletableFuture.failedFuture(
                                        new IOException(
                                                "keeper of "
                                                        + domain
                                                        + ": does not hear itself, expected to")));
    }

    private void tell(Answer answer, Post question) {
        line.tell(answer.post(question.answerTo(), question.correlation()));
    }

    private CompletableFuture<Answer> answer(Post question) {
        try {
            return answer(Ask.parse(question.payload()))
                    .exceptionally(e -> new Answer.Trouble(String.valueOf(e.getMessage())));
        } catch (IOException e) {
            return CompletableFuture.completedFuture(
                    new Answer.Trouble(String.valueOf(e.getMessage())));
        }
    }

    /// The answer, once the broker has written what it changes. Who asks again while it is on its
    /// way gets the same.
    CompletableFuture<Answer> answer(Ask ask) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        @Nullable CompletableFuture<Answer> other = onTheirWay.putIfAbsent(ask.id(), answer);
        if (other != null) {
            return other;
        }
        long end = System.nanoTime() + patience.toNanos();
        boolean isAsked =
                onThread(() -> {
                    var _ =
                            decide(ask, end)
                                    .whenComplete((decided, failure) -> {
                                        // First: who hears it and asks again asks anew.
                                        onTheirWay.remove(ask.id());
                                        pass(decided, failure, answer);
                                    });
                });
        if (!isAsked) {
            onTheirWay.remove(ask.id());
            answer.completeExceptionally(new IOException("keeper: not in office any more"));
        }
        return answer;
    }

    private static void pass(
            @Nullable Answer decided, @Nullable Throwable failure, CompletableFuture<Answer> to) {
        if (decided == null) {
            to.completeExceptionally(failure == null ? new IOException("no answer") : failure);
        } else {
            to.complete(decided);
        }
    }

    private boolean onThread(Runnable work) {
        try {
            thread.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private CompletableFuture<Answer> decide(Ask ask, long end) {
        if (System.nanoTime() - end >= 0) {
            // Nobody waits for it any more: a claim would be nobody's.
            return CompletableFuture.failedFuture(new IOException("keeper: too busy"));
        }
        handed = new ArrayList<>();
        // Who is asked but once does not stay long enough for anybody to profit from it.
        if (++asked == 2) {
            var _ = hand(Post.kept(names.office(domain), office.getBytes(StandardCharsets.UTF_8)));
        }
        Answer answer;
        try {
            takeIn();
            answer = desk.answer(ask);
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        List<Post> last = later;
        later = new ArrayList<>();
        if (handed.isEmpty()) {
            putAway(last);
            // It may repeat what has been decided a moment ago.
            return answer instanceof Answer.Nothing
                    ? CompletableFuture.completedFuture(answer)
                    : written.thenApply(_ -> answer);
        }
        CompletableFuture<Boolean> confirmed =
                CompletableFuture.allOf(handed.toArray(CompletableFuture<?>[]::new))
                        .thenCompose(_ -> {
                            CompletableFuture<Boolean> echo = line.echo(names.ask(domain));
                            putAway(last);
                            return echo;
                        })
                        // The broker may leave out any answer when it has too much for us.
                        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS);
        resignIfItFails(confirmed);
        written = confirmed;
        return written.thenApply(_ -> answer);
    }

    /// Before anybody asks. Whatever goes wrong goes wrong again when somebody does.
    private void takeInEarly() {
        try {
            takeIn();
        } catch (IOException | RuntimeException e) {
            // They have not been taken from those that arrived.
        }
    }

    private void takeIn() throws IOException {
        List<Post> posts = List.copyOf(arrived);
        desk.takeIn(posts);
        // Not before: what could not be read now is read the next time.
        for (int i = 0; i < posts.size(); i++) {
            var _ = arrived.poll();
        }
    }

    @Override
    public CompletableFuture<Boolean> write(Post post) {
        CompletableFuture<Boolean> written = hand(post);
        handed.add(written);
        return written;
    }

    @Override
    public void writeLater(Post post) {
        later.add(post);
    }

    private void putAway(List<Post> posts) {
        for (Post post : posts) {
            var _ = hand(post);
        }
    }

    private CompletableFuture<Boolean> hand(Post post) {
        CompletableFuture<Boolean> written = line.publish(post);
        resignIfItFails(written);
        return written;
    }

    /// What we know and what the broker keeps would not be the same any more.
    private void resignIfItFails(CompletableFuture<Boolean> writing) {
        var _ =
                writing.whenComplete((_, failure) -> {
                    if (failure != null) {
                        hasResigned = true;
                    }
                });
    }

    boolean isInOffice() {
        return !hasResigned && line.isUp();
    }

    @Override
    public void close() {
        hasResigned = true;
        line.close();
        thread.shutdown();
    }
}
