package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pheromone.Address;
import dev.pheromone.Claim;
import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Lane;
import dev.pheromone.Outcome;
import dev.pheromone.Priority;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.Ttl;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.Mosquitto;
import dev.pheromone.testkit.TransportContract;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/// Every test has a hive of its own on one broker.
final class MqttTransportTest implements TransportContract {

    private static final AtomicInteger HIVES = new AtomicInteger();

    @TempDir static Path folder;
    private static Mosquitto broker;

    private final FakeClock clock = new FakeClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));
    private MqttOptions options;
    private Names names;
    private MqttTransport transport;

    @BeforeAll
    static void startBroker() throws IOException {
        Mosquitto.refuseWithout("MqttTransportTest");
        broker = Mosquitto.start(folder, Mosquitto.OPEN + Mosquitto.DURABLE);
    }

    @AfterAll
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        options =
                MqttOptions.of(broker.url(), "hive" + HIVES.incrementAndGet())
                        .withInboxes(List.of(CODE, DOCS))
                        .withConfig(HiveConfig.defaults(), TRUST)
                        .withPublicCheck(CHECK);
        names = new Names(options.hive());
        transport = MqttTransport.open(options, clock);
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public FakeClock clock() {
        return clock;
    }

    @Override
    public Transport reopened() throws IOException {
        return MqttTransport.open(options, clock);
    }

    /// What the broker keeps under these filters.
    private Map<String, Post> kept(String... filters) throws IOException {
        try (Link link = new Link(options, names, "test")) {
            return link.read(List.of(filters), Link.Width.WIDE);
        }
    }

    private void publish(Post post) throws IOException {
        try (Link link = new Link(options, names, "test")) {
            link.store(post);
        }
    }

    @Test
    void theInboxesAreThoseThatWereMade() throws Exception {
        transport.createInbox(Domain.parse("user-ada"));
        assertThat(transport.domains()).containsExactly(CODE, DOCS, Domain.parse("user-ada"));
    }

    @Test
    void mailWaitsWhenNobodyIsConnected() throws Exception {
        Envelope envelope = mail("later").seal();
        send(envelope);
        transport.close();
        try (Transport later = reopened()) {
            assertThat(take(later.inbox(CODE)).envelope()).isEqualTo(envelope);
        }
    }

    @Test
    void theHeaderIsThereForThoseWhoOnlyLook() throws Exception {
        Envelope envelope =
                mail("look at me")
                        .priority(Priority.P1)
                        .ttl(Ttl.parse("1h"))
                        .replyTo(Address.parse("queen://docs"))
                        .seal();
        send(envelope);
        Post post = kept(names.allMailOf(CODE)).values().iterator().next();
        assertThat(post.payload()).isEqualTo(envelope.bytes());
        assertThat(post.properties())
                .containsEntry("from", "ada")
                .containsEntry("topic", "look at me")
                .containsEntry("priority", "P1")
                .containsEntry("lane", "Code");
        assertThat(post.answerTo()).isEqualTo(names.mailOf(DOCS));
        assertThat(post.correlation()).isEqualTo(envelope.id().toString());
        assertThat(post.expirySeconds())
                .isBetween(Duration.ofHours(24).toSeconds(), Duration.ofHours(25).toSeconds());
    }

    @Test
    void anotherEnvelopeWithTheSameIdIsAConflictInAnyClassAndLongAfter() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        send(mail("first").id(id).seal());
        assertThat(send(mail("second").id(id).priority(Priority.P0).seal()))
                .isInstanceOf(SendResult.Conflict.class);
        inbox().settle(take(inbox()).token(), new Outcome.Done(""));
        clock.advance(Duration.ofDays(400));
        assertThat(send(mail("third").id(id).seal())).isInstanceOf(SendResult.Conflict.class);
        assertThat(inbox().waiting()).isEmpty();
    }

    @Test
    void ofTwoWhoSendUnderOneIdAtTheSameMomentOneIsAccepted() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Envelope first = mail("first").id(id).seal();
        Envelope second = mail("second").id(id).seal();
        publish(Mail.post(names, CODE, first, clock.instant(), ""));
        publish(Mail.post(names, CODE, second, clock.instant().plusMillis(1), ""));

        assertThat(take(inbox()).envelope()).isEqualTo(first);
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        String name = id + "-" + second.fingerprint().hex();
        assertThat(kept(names.archived(CODE, State.CONFLICT, name)).values())
                .extracting(Post::payload)
                .containsExactly(second.bytes());
    }

    @Test
    void aCopyThatComesAfterItsEndHasNoSecondEffect() throws Exception {
        Envelope envelope = mail("once").seal();
        send(envelope);
        inbox().settle(take(inbox()).token(), new Outcome.Done(""));
        publish(Mail.post(names, CODE, envelope, clock.instant(), ""));

        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        try (Transport other = reopened()) {
            assertThat(other.inbox(CODE).select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        }
        assertThat(kept(names.allMailOf(CODE))).isEmpty();
    }

    /// Its sender looked in the time of this keeper, and another of the same was done since.
    @Test
    void aCopyWhoseSenderLookedBeforeItsEndHasNoSecondEffect() throws Exception {
        Envelope envelope = mail("once").seal();
        String office = doneInTheTimeOf(envelope);
        publish(Mail.post(names, CODE, envelope, clock.instant(), office));

        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        assertThat(kept(names.allMailOf(CODE))).isEmpty();
    }

    /// Its sender looked in the time of another keeper, and another of the same was done since.
    @Test
    void aCopyWhoseSenderLookedInTheTimeOfAnotherKeeperHasNoSecondEffect() throws Exception {
        Envelope envelope = mail("once").seal();
        String office = doneInTheTimeOf(envelope);
        transport.close();
        try (Transport other = reopened()) {
            Inbox there = other.inbox(CODE);
            assertThat(there.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
            assertThat(there.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
            assertThat(office()).isNotEqualTo(office);
            publish(Mail.post(names, CODE, envelope, clock.instant(), office));
            assertThat(there.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        }
    }

    /// Returns who keeps the inbox, and did so when `envelope` was not known yet.
    private String doneInTheTimeOf(Envelope envelope) throws Exception {
        send(mail("so that the keeper stays").seal());
        inbox().settle(take(inbox()).token(), new Outcome.Done(""));
        String office = office();
        send(envelope);
        inbox().settle(take(inbox()).token(), new Outcome.Done(""));
        return office;
    }

    private String office() throws IOException {
        return new String(kept(names.office(CODE)).values().iterator().next().payload(), UTF_8);
    }

    @Test
    void whatSomebodyElseWroteIsKeptAndStopsNothing() throws Exception {
        byte[] nonsense = {1, 2, 3};
        publish(Post.kept(names.mailOf(CODE) + "/0/x/y/z", nonsense));
        send(mail("good").seal());

        assertThat(take(inbox()).envelope().topic()).isEqualTo("good");
        String name = ContentHash.of(nonsense).hex();
        assertThat(kept(names.archived(CODE, State.DEAD, name)).values())
                .extracting(Post::payload)
                .containsExactly(nonsense);
    }

    @Test
    void aRecordThatCanNotBeReadStopsNothing() throws Exception {
        Envelope envelope = mail("its record is nonsense").seal();
        send(envelope);
        publish(Post.kept(names.record(CODE, envelope.id()), new byte[] {1, 2, 3}));
        send(mail("good").seal());

        assertThat(take(inbox()).envelope().topic()).isEqualTo("good");
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        String name = envelope.id() + "-" + envelope.fingerprint().hex();
        assertThat(kept(names.archived(CODE, State.DEAD, name))).hasSize(1);
    }

    @Test
    void deadMailIsKeptWithItsReason() throws Exception {
        Envelope envelope = mail("poison").seal();
        send(envelope);
        Settlement last = null;
        for (int attempt = 1; attempt <= 5; attempt++) {
            last = inbox().settle(take(inbox()).token(), new Outcome.Failed("no — never"));
            clock.advance(Duration.ofMinutes(10));
        }
        assertThat(((Settlement.Settled) last).state()).isEqualTo(State.DEAD);
        Post post =
                kept(names.archived(CODE, State.DEAD, envelope.id().toString()))
                        .values()
                        .iterator()
                        .next();
        assertThat(post.payload()).isEqualTo(envelope.bytes());
        assertThat(post.properties()).containsEntry("reason", "no — never");
    }

    /// A broker ends the connection of who says such a thing beside a message.
    @Test
    void charactersThatNoBrokerTakesStopNothing() throws Exception {
        Envelope envelope = mail("no character: \uFDD0").tags(List.of("\uFDEF")).seal();
        assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
        Claim claim = take(inbox());
        assertThat(claim.envelope().bytes()).isEqualTo(envelope.bytes());
        assertThat(inbox().settle(claim.token(), new Outcome.Done("\u001B")))
                .isInstanceOf(Settlement.Settled.class);
        publish(Post.kept(names.mailOf(CODE) + "/0/x/y/z", "---\n\u001B: 1\n".getBytes(UTF_8)));
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
    }

    @Test
    void whateverAWorkerSaysOfItsLastFailureEndsTheMail() throws Exception {
        String colours = "\u001B[31mno\u0000";
        for (String note : List.of(colours, "\uD83D", "x".repeat(70_000))) {
            send(mail("poison").seal());
            Settlement last = null;
            for (int attempt = 1; attempt <= 5; attempt++) {
                last = inbox().settle(take(inbox()).token(), new Outcome.Failed(note));
                clock.advance(Duration.ofMinutes(10));
            }
            assertThat(((Settlement.Settled) last).state()).isEqualTo(State.DEAD);
        }
        assertThat(transport.ended(10).orElseThrow())
                .extracting(ended -> ended.reason())
                .containsExactlyInAnyOrder("?[31mno?", "?", "x".repeat(500));
    }

    @Test
    void anotherProcessMaySettleAClaim() throws Exception {
        send(mail("handed over").seal());
        Claim claim = take(inbox());
        try (Transport other = reopened()) {
            assertThat(other.inbox(CODE).renew(claim.token()))
                    .isInstanceOf(Settlement.Renewed.class);
            assertThat(other.inbox(CODE).settle(claim.token(), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Settled.class);
        }
        assertThat(inbox().settle(claim.token(), new Outcome.Failed("")))
                .isInstanceOf(Settlement.Lost.class);
    }

    @Test
    void anotherProcessTakesOverWhereOneLeftOff() throws Exception {
        send(mail("one").seal());
        send(mail("two").seal());
        Claim first = take(inbox());
        transport.close();
        transport = MqttTransport.open(options, clock);
        Inbox again = transport.inbox(CODE);
        assertThat(take(again).envelope().id()).isNotEqualTo(first.envelope().id());
        assertThat(again.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        assertThat(again.settle(first.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Settled.class);
    }

    /// They share a subscription: the rest sleep on, instead of asking for what is taken already.
    @Test
    void ofTwoWhoWaitOneIsWokenByOneLetter() throws Exception {
        Duration wait = Duration.ofSeconds(4);
        try (Link one = new Link(options, names, "one");
                Link two = new Link(options, names, "two");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> woken = new ArrayList<>();
            for (Link link : List.of(one, two)) {
                News news = link.listen(names.news(CODE), names.sharedNews(CODE));
                woken.add(
                        threads.submit(() -> {
                            long start = System.nanoTime();
                            news.await(wait);
                            return System.nanoTime() - start < wait.toNanos();
                        }));
            }
            send(mail("for one of them").seal());
            assertThat(List.of(woken.get(0).get(), woken.get(1).get()))
                    .containsExactlyInAnyOrder(true, false);
        }
    }

    @Test
    void aLaneReachesEveryInboxThatServesIt() throws Exception {
        Envelope envelope =
                Envelope.draft(SENDER, List.of(Address.parse("lane://Code")), Lane.CODE, "lane")
                        .ts(clock.instant())
                        .seal();
        assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
        assertThat(take(inbox()).envelope()).isEqualTo(envelope);
    }
}
