package dev.pheromone.mqtt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/// Finds out by trying how a broker is set up: it tells nobody.
final class BrokerCheck {

    /// Just more than what Mosquitto queues for one client if nobody sets it to more.
    private static final int QUEUED = 1_100;

    private static final String VERSION = "$SYS/broker/version";

    /// A broker that keeps this message sends it at once.
    private static final Duration VERSION_WAIT = Duration.ofSeconds(1);

    private static final byte[] COUNTED = {'c'};
    private static final byte[] LAST = {'l'};

    private final MqttOptions options;
    private final Names names;
    private final Link link;

    BrokerCheck(MqttOptions options, Names names, Link link) {
        this.options = options;
        this.names = names;
        this.link = link;
    }

    List<String> problems() throws IOException {
        List<String> problems = new ArrayList<>();
        int queued = queued();
        if (queued < QUEUED) {
            problems.add(
                    options.broker()
                            + ": queued "
                            + queued
                            + " of "
                            + QUEUED
                            + " messages for a client and dropped the others, though it had"
                            + " confirmed them; set max_queued_messages to 0");
        }
        return problems;
    }

    /// What the broker publishes as its version, where Mosquitto does.
    Optional<String> version() throws IOException {
        BlockingQueue<Post> heard = new LinkedBlockingQueue<>();
        String name = options.name() + "-version-" + link.nonce();
        try (Line line = Line.open(options, name, Line.Session.NEW, null, heard::add)) {
            var _ = line.await(line.subscribe(List.of(VERSION), Line.Begin.WITH_KEPT));
            Post said = Link.poll(heard, VERSION_WAIT);
            return Optional.ofNullable(said)
                    .map(post -> new String(post.payload(), StandardCharsets.UTF_8));
        }
    }

    /// How many of the messages that came while it was away a client gets when it is back.
    private int queued() throws IOException {
        String name = options.name() + "-check-" + link.nonce();
        String topic = names.check(name);
        BlockingQueue<Post> heard = new LinkedBlockingQueue<>();
        Line away = Line.open(options, name, Line.Session.RESUMED, null, heard::add);
        away.await(away.subscribe(List.of(topic), Line.Begin.QUEUED));
        away.leave();
        link.ask(line -> {
            List<CompletableFuture<Boolean>> sent = new ArrayList<>();
            for (int i = 0; i < QUEUED; i++) {
                sent.add(line.publish(Post.passing(topic, COUNTED)));
            }
            return line.await(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)));
        });
        try (Line back = Line.open(options, name, Line.Session.RESUMED, null, heard::add)) {
            var _ = back.await(back.publish(Post.passing(topic, LAST)));
            int count = 0;
            for (Post post = Link.poll(heard, options.patience());
                    post != null && post.payload()[0] == COUNTED[0];
                    post = Link.poll(heard, options.patience())) {
                count++;
            }
            return count;
        }
    }
}
