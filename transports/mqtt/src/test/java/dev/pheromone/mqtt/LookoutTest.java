package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.Lane;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// One who has sent before and listens along since, and whatever may happen behind its back.
@Timeout(120)
final class LookoutTest {

    private static final AtomicInteger HIVES = new AtomicInteger();
    private static final Domain CODE = Domain.parse("code");

    /// All ids are of about the same time.
    private final Instant now = Instant.now();

    @TempDir static Path folder;
    private static Mosquitto broker;

    private final String hive = "hive" + HIVES.incrementAndGet();
    private Wire wire;
    private MqttTransport sender;
    private MqttTransport other;

    @BeforeAll
    static void startBroker() throws IOException {
        Mosquitto.refuseWithout("LookoutTest");
        // Nothing here outlives the broker, so it need not write anything.
        broker = Mosquitto.start(folder, Mosquitto.OPEN + "max_queued_messages 1000\n");
    }

    @AfterAll
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        wire = new Wire(broker.port());
        sender = open(wire.url());
        other = open(broker.url());
    }

    @AfterEach
    void close() throws IOException {
        other.close();
        sender.close();
        wire.close();
    }

    private MqttTransport open(String url) throws IOException {
        return MqttTransport.open(
                MqttOptions.of(url, hive).withInboxes(List.of(CODE)), InstantSource.system());
    }

    private Envelope mail(EnvelopeId id, String topic, String body) {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        topic)
                .ts(now)
                .id(id)
                .body(body)
                .seal();
    }

    private Envelope mail(String topic) {
        return mail(EnvelopeId.random(now), topic, "");
    }

    private static SendResult send(MqttTransport transport, Envelope envelope) throws Exception {
        return transport.send(envelope).copies().getFirst().result();
    }

    private void beginToListen() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(send(sender, mail("before " + i))).isInstanceOf(SendResult.Delivered.class);
        }
    }

    private void assertKnown(Envelope envelope) throws Exception {
        assertThat(send(sender, envelope)).isInstanceOf(SendResult.Duplicate.class);
        assertThat(send(sender, mail(envelope.id(), "something else", "")))
                .isInstanceOf(SendResult.Conflict.class);
    }

    @Test
    void whatItSentItselfIsKnown() throws Exception {
        beginToListen();
        Envelope envelope = mail("mine");
        assertThat(send(sender, envelope)).isInstanceOf(SendResult.Delivered.class);
        assertKnown(envelope);
    }

    @Test
    void whatAnotherSentIsKnown() throws Exception {
        Envelope before = mail("before it listens");
        send(other, before);
        beginToListen();
        Envelope since = mail("since");
        send(other, since);
        assertKnown(before);
        assertKnown(since);
    }

    @Test
    void aTopicOfAStrangerIsNobodysRecord() throws Exception {
        String stretch = Names.stretch(EnvelopeId.random(now));
        String topic = "rsm/" + hive + "/record/code/" + stretch + "/";
        try (Link stranger = new Link(MqttOptions.of(broker.url(), hive), new Names(hive), "")) {
            stranger.store(Post.kept(topic, new byte[] {1}));
        }
        beginToListen();
    }

    @Test
    void whatHasEndedIsKnown() throws Exception {
        beginToListen();
        Envelope envelope = mail("done elsewhere");
        send(other, envelope);
        Inbox inbox = other.inbox(CODE);
        Lease lease = Lease.unattended(Duration.ofMinutes(5));
        while (inbox.select(Actor.parse("worker"), lease) instanceof Selection.Taken taken) {
            inbox.settle(taken.claim().token(), new Outcome.Done(""));
        }
        assertKnown(envelope);
        assertThat(inbox.select(Actor.parse("worker"), lease)).isEqualTo(new Selection.Nothing());
    }

    @Test
    void whatCameWhileItWasCutOffIsKnown() throws Exception {
        beginToListen();
        wire.cut();
        Envelope envelope = mail("unheard");
        send(other, envelope);
        assertKnown(envelope);
        beginToListen();
        assertKnown(envelope);
    }

    @Test
    void moreThanItCanListenToIsKnown() throws Exception {
        Envelope first = mail("the first");
        send(other, first);
        List<Envelope> many = fill(700, "");
        beginToListen();
        assertKnown(first);
        assertKnown(many.getLast());
    }

    /// The broker throws away what it can't queue for a line that takes nothing in.
    @Test
    void whatTheBrokerDidNotTellIsKnown() throws Exception {
        beginToListen();
        wire.freezeLongAnswers();
        List<Envelope> many = fill(2_000, "x".repeat(20_000));
        wire.thaw();
        assertKnown(many.getFirst());
        assertKnown(many.getLast());
        beginToListen();
        assertKnown(many.getLast());
    }

    private List<Envelope> fill(int count, String body) throws IOException {
        Names names = new Names(hive);
        List<Envelope> many = new ArrayList<>();
        try (Link link = new Link(MqttOptions.of(broker.url(), hive), names, "")) {
            for (int i = 0; i < count; i += 100) {
                Post[] posts = new Post[100];
                for (int j = 0; j < posts.length; j++) {
                    Envelope envelope = mail(EnvelopeId.random(now), "number " + (i + j), body);
                    many.add(envelope);
                    posts[j] = Mail.post(names, CODE, envelope, now, "");
                }
                link.store(posts);
            }
        }
        return many;
    }
}
