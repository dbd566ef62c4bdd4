package dev.pheromone.mqtt;

import dev.pheromone.Domain;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/// The one process that decides who gets what from an inbox. All others ask it.
///
/// It is connected under the inbox's own identifier, and the broker lets in one at a time: whoever
/// connects under it next puts this one out, and nothing that this one writes afterwards arrives. A
/// keeper that lost its line is over; the next one reads everything from the broker.
final class Keeper implements AutoCloseable {

    private final Domain domain;
    private final Names names;
    private final Link link;
    private final Desk desk;
    private final Line line;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().name("keeper").factory());
    private final Queue<Post> arrived = new ConcurrentLinkedQueue<>();
    private List<CompletableFuture<Boolean>> handed = new ArrayList<>();
    private volatile boolean hasResigned;

    Keeper(MqttOptions options, InstantSource clock, Domain domain, Names names, Link link)
            throws IOException {
        this.domain = domain;
        this.names = names;
        this.link = link;
        Inspection inspection = new Inspection(options, names, domain);
        Pieces pieces = new Pieces(names, domain, inspection, this::write);
        desk = new Desk(clock, new Shelf(link, names, domain), inspection, pieces);
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
        } else if (!post.answerTo().isEmpty()) {
            tell(new Answer.Heard(), post);
            var _ = answer(post).thenAccept(answer -> tell(answer, post));
        }
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

    /// The answer, once the broker has written what it changes.
    CompletableFuture<Answer> answer(Ask ask) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                var _ =
                        decide(ask)
                                .whenComplete((decided, failure) -> pass(decided, failure, answer));
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new IOException("keeper: not in office any more", e));
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

    private CompletableFuture<Answer> decide(Ask ask) {
        handed = new ArrayList<>();
        Answer answer;
        try {
            takeIn();
            answer = desk.answer(ask);
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (handed.isEmpty()) {
            return CompletableFuture.completedFuture(answer);
        }
        return CompletableFuture.allOf(handed.toArray(CompletableFuture<?>[]::new))
                .thenCompose(_ -> link.written(line))
                .thenApply(_ -> answer);
    }

    private void takeIn() throws IOException {
        List<Post> posts = List.copyOf(arrived);
        desk.takeIn(posts);
        // Not before: what could not be read now is read the next time.
        for (int i = 0; i < posts.size(); i++) {
            var _ = arrived.poll();
        }
    }

    private CompletableFuture<Boolean> write(Post post) {
        CompletableFuture<Boolean> written = line.publish(post);
        // What we know and what the broker keeps would not be the same any more.
        var _ =
                written.whenComplete((_, failure) -> {
                    if (failure != null) {
                        hasResigned = true;
                    }
                });
        handed.add(written);
        return written;
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
