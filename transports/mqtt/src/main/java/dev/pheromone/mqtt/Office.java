package dev.pheromone.mqtt;

import dev.pheromone.Domain;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;

/// Where the keeper of an inbox is found: in this process, in another, or nowhere; then it is made
/// here.
final class Office implements AutoCloseable {

    /// A keeper says at once that it has heard. Who does not is taken for dead, and replaced; if it
    /// lives, it only loses its office by that.
    private static final Duration HEARD_MAX = Duration.ofMillis(1_500);

    private final MqttOptions options;
    private final InstantSource clock;
    private final Domain domain;
    private final Names names;
    private final Link link;
    private @Nullable Keeper own;
    private boolean isClosed;

    Office(MqttOptions options, InstantSource clock, Domain domain, Names names, Link link) {
        this.options = options;
        this.clock = clock;
        this.domain = domain;
        this.names = names;
        this.link = link;
    }

    /// The keeper's answer, whoever that is.
    Answer ask(Ask ask) throws IOException {
        return link.ask(line -> {
            @Nullable Keeper here = here();
            if (here == null) {
                Optional<Answer> answer = askElsewhere(line, ask);
                if (answer.isPresent()) {
                    return checked(answer.get());
                }
                here = takeOffice();
            }
            return checked(line.await(here.answer(ask)));
        });
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
        try {
            Post question =
                    Post.passing(names.ask(domain), ask.bytes()).asking(ask.id(), link.ownTopic());
            if (!line.await(line.publish(question))) {
                return Optional.empty();
            }
            Duration wait = HEARD_MAX;
            for (Post post = Link.poll(answers, wait);
                    post != null;
                    post = Link.poll(answers, wait)) {
                Answer answer = Answer.parse(post);
                if (!(answer instanceof Answer.Heard)) {
                    return Optional.of(answer);
                }
                wait = options.patience();
            }
            return Optional.empty();
        } finally {
            link.forget(ask.id());
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (own != null) {
            own.close();
        }
    }
}
