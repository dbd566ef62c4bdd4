package dev.pheromone.mqtt;

import dev.pheromone.Domain;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/// Where the keeper of an inbox is found: in this process, in another, or nowhere; then it is made
/// here.
final class Office implements AutoCloseable {

    /// A keeper says at once that it has heard. Who does not is taken for dead, and replaced; if it
    /// lives, it only loses its office by that.
    private static final Duration HEARD_MAX = Duration.ofMillis(1_500);

    /// How long an answer may take before we ask again, in case the keeper has gone meanwhile.
    private static final Duration BUSY_MAX = Duration.ofSeconds(2);

    /// All who lose their keeper notice at once. They wait a while, each another one, so that not
    /// all of them take its place.
    private static final int RUSH_MILLIS_MAX = 200;

    private final MqttOptions options;
    private final InstantSource clock;
    private final Domain domain;
    private final Names names;
    private final Link link;
    private @Nullable Keeper own;
    private boolean isClosed;
    private volatile boolean hasBeenAnswered;

    Office(MqttOptions options, InstantSource clock, Domain domain, Names names, Link link) {
        this.options = options;
        this.clock = clock;
        this.domain = domain;
        this.names = names;
        this.link = link;
    }

    /// The keeper's answer, whoever that is.
    Answer ask(Ask ask) throws IOException {
        Answer answer = link.ask(line -> checked(once(line, ask)));
        hasBeenAnswered = true;
        return answer;
    }

    private Answer once(Line line, Ask ask) throws IOException {
        @Nullable Keeper here = here();
        if (here == null) {
            Optional<Answer> answer = askElsewhere(line, ask);
            if (answer.isEmpty() && hasBeenAnswered) {
                int millis = ThreadLocalRandom.current().nextInt(RUSH_MILLIS_MAX);
                LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
                answer = askElsewhere(line, ask);
            }
            if (answer.isPresent()) {
                return answer.get();
            }
            here = takeOffice();
        }
        return line.await(here.answerHere(ask));
    }

    private static Answer checked(Answer answer) throws IOException {
        if (answer instanceof Answer.Trouble(var reason)) {
            throw new IOException(reason);
        }
        return answer;
    }

    private synchronized @Nullable Keeper here() {
        return own != null && own.isInOffice() ? own : null;
    }

    private synchronized Keeper takeOffice() throws IOException {
        if (isClosed) {
            throw new RefusedException("the transport is closed");
        }
        if (own != null) {
            if (own.isInOffice()) {
                return own;
            }
            own.close();
        }
        Keeper keeper = new Keeper(options, clock, domain, names, link);
        own = keeper;
        return keeper;
    }

    /// What the keeper in another process answers; empty if there is none, or it keeps silent.
    private Optional<Answer> askElsewhere(Line line, Ask ask) throws IOException {
        BlockingQueue<Post> answers = link.expect(ask.id());
        long end = System.nanoTime() + options.patience().toNanos();
        try {
            Post question =
                    Post.passing(names.ask(domain), ask.bytes()).asking(ask.id(), link.ownTopic());
            while (line.await(line.publish(question))) {
                Optional<Answer> answer = next(answers, HEARD_MAX);
                if (answer.isEmpty()) {
                    return Optional.empty();
                }
                while (answer.isPresent() && answer.get() instanceof Answer.Heard) {
                    answer = next(answers, BUSY_MAX);
                }
                if (answer.isPresent()) {
                    return answer;
                }
                if (System.nanoTime() - end >= 0) {
                    throw new IOException(
                            "keeper of " + domain + ": busy, expected an answer in time");
                }
            }
            return Optional.empty();
        } finally {
            link.forget(ask.id());
        }
    }

    private static Optional<Answer> next(BlockingQueue<Post> answers, Duration wait)
            throws IOException {
        @Nullable Post post = Link.poll(answers, wait);
        return post == null ? Optional.empty() : Optional.of(Answer.parse(post));
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (own != null) {
            own.close();
        }
    }
}
