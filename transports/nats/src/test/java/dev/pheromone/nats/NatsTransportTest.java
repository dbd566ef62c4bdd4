package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pheromone.Claim;
import dev.pheromone.Ended;
import dev.pheromone.HiveConfig;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.life.Why;
import dev.pheromone.testkit.BadMailContract;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.NatsServer;
import dev.pheromone.testkit.OtherProcess;
import dev.pheromone.testkit.ProcessContract;
import dev.pheromone.testkit.RepeatedOutcomeContract;
import dev.pheromone.testkit.TransportContract;

import io.nats.client.Message;
import io.nats.client.api.MessageInfo;
import io.nats.client.impl.Headers;

import org.awaitility.Awaitility;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Every test has a hive of its own on one server.
final class NatsTransportTest
        implements TransportContract, RepeatedOutcomeContract, BadMailContract, ProcessContract {

    /// The clock of these tests jumps by minutes, the server's does not: it may keep nothing back
    /// for long.
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    private static final AtomicInteger HIVES = new AtomicInteger();

    @TempDir static Path folder;
    private static NatsServer server;

    private final FakeClock clock = new FakeClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));
    private NatsOptions options;
    private NatsTransport transport;

    @BeforeAll
    static void startServer() throws IOException {
        NatsServer.refuseWithout("NatsTransportTest");
        server = NatsServer.start(folder);
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        options = options(server.url(), "hive" + HIVES.incrementAndGet());
        transport = NatsTransport.open(options, clock);
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
        return NatsTransport.open(options, clock);
    }

    private static NatsOptions options(String url, String hive) {
        return NatsOptions.of(url, hive)
                .withInboxes(List.of(CODE, DOCS))
                .withConfig(HiveConfig.defaults(), TRUST)
                .withPublicCheck(CHECK)
                .withWaits(Duration.ofSeconds(10), LOOK_AGAIN);
    }

    @Override
    public String kept(EnvelopeId id) throws IOException {
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            return records(connection).find(CODE, id).orElseThrow().record().toString();
        }
    }

    @Override
    public void put(EnvelopeId id, byte[] bytes) throws IOException {
        publish("code.P0." + id, bytes);
    }

    @Override
    public OtherProcess startOther() throws IOException {
        return OtherProcess.start(clock, Other.class, options.url(), options.hive());
    }

    /// Another process that has a hive on the server open.
    static final class Other {

        private Other() {}

        public static void main(String[] arguments) throws Exception {
            NatsOptions options = options(arguments[0], arguments[1]);
            OtherProcess.obey(clock -> NatsTransport.open(options, clock));
        }
    }

    @Test
    void theInboxesAreThoseThatWereMade() throws Exception {
        transport.createInbox(Domain.parse("user-ada"));
        assertThat(transport.domains()).containsExactly(CODE, DOCS, Domain.parse("user-ada"));
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
    void mailWhoseSenderDiedAfterTheMarkIsStoredByTheNextTry() throws Exception {
        Envelope envelope = mail("interrupted").seal();
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            mark(connection, envelope.id(), envelope);
        }
        assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
        assertThat(send(envelope)).isInstanceOf(SendResult.Duplicate.class);
        assertThat(take(inbox()).envelope()).isEqualTo(envelope);
    }

    /// Its sender was about to take it back, and died.
    @Test
    void mailUnderAnothersIdIsNeverHandedOut() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Envelope owner = mail("owner").id(id).seal();
        send(owner);
        publish("code.P0." + id, mail("other").id(id).priority(Priority.P0).seal().bytes());

        assertThat(take(inbox()).envelope()).isEqualTo(owner);
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        assertThat(archived(State.CONFLICT, id + "-2")).isPresent();
    }

    /// Who claimed it died before seeing whose id it is.
    @Test
    void aClaimUnderAnothersIdEndsWithItsLease() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Envelope owner = mail("owner").id(id).seal();
        send(owner);
        Envelope other = mail("other").id(id).priority(Priority.P0).seal();
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            claimAndDie(connection, other, 2);
        }
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        clock.advance(LEASE.duration().plusSeconds(1));
        Claim claim = take(inbox());
        assertThat(claim.envelope()).isEqualTo(owner);
        assertThat(inbox().settle(claim.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Settled.class);
    }

    /// The same, and its mail still lies there: it is not believed because of that record.
    @Test
    void mailThatWasClaimedUnderAnothersIdIsNeverHandedOutAgain() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Envelope owner = mail("owner").id(id).seal();
        Envelope other = mail("other").id(id).priority(Priority.P0).seal();
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            mark(connection, id, owner);
            publish("code.P0." + id, other.bytes());
            String consumer = Names.consumer(CODE, Priority.P0);
            connection
                    .pull(new Names(options.hive()).mailStream(), List.of(consumer))
                    .mail()
                    .values()
                    .forEach(Message::nak);
            claimAndDie(connection, other, 1);
        }
        clock.advance(LEASE.duration().plusSeconds(1));
        send(owner);
        assertThat(take(inbox()).envelope()).isEqualTo(owner);
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        assertThat(archived(State.CONFLICT, id + "-1")).isPresent();
    }

    private void claimAndDie(ReconnectingConnection connection, Envelope envelope, long sequence)
            throws IOException {
        EnvelopeId id = envelope.id();
        ClaimToken token = new ClaimToken(id, 1, WORKER, clock.instant(), LEASE.duration(), "0");
        Life life = Life.begun(envelope.fingerprint(), clock.instant());
        MailRecord claimed = new MailRecord(life.claimed(token, LEASE).life(), sequence, "nowhere");
        var _ = records(connection).replace(CODE, id, claimed, MailRecords.UNWRITTEN);
    }

    @Test
    void ofTwoWhoSendUnderOneIdAtTheSameMomentOneIsAccepted() throws Exception {
        try (Transport other = reopened()) {
            for (int i = 0; i < 60; i++) {
                EnvelopeId id = EnvelopeId.random(clock.instant());
                Envelope first = mail("first").id(id).seal();
                Envelope second = mail("second").id(id).seal();
                CompletableFuture<SendResult> there =
                        CompletableFuture.supplyAsync(
                                () -> result(other, second), Thread::startVirtualThread);
                SendResult here = result(transport, first);
                Envelope accepted = here instanceof SendResult.Delivered ? first : second;
                assertThat(List.of(here, there.get(30, TimeUnit.SECONDS)))
                        .hasAtLeastOneElementOfType(SendResult.Delivered.class)
                        .hasAtLeastOneElementOfType(SendResult.Conflict.class);
                Claim claim = take(inbox());
                assertThat(claim.envelope()).isEqualTo(accepted);
                inbox().settle(claim.token(), new Outcome.Done(""));
            }
        }
    }

    /// `FreeIdTest` stops senders and readers at each step; here they meet by chance.
    private static final int FREE_ID_ROUNDS = Boolean.getBoolean("rsm.long") ? 300 : 20;

    @Test
    void ofTwoWhoSendUnderAFreeIdWhileAReaderLooksOneIsAccepted() throws Exception {
        try (Transport other = reopened();
                Transport third = reopened()) {
            for (int i = 0; i < FREE_ID_ROUNDS; i++) {
                EnvelopeId id = EnvelopeId.random(clock.instant());
                send(shortMail("short", id));
                expire();
                Envelope first = shortMail("first", id);
                Envelope second = shortMail("second", id);
                CompletableFuture<SendResult> here =
                        CompletableFuture.supplyAsync(
                                () -> result(third, first), Thread::startVirtualThread);
                CompletableFuture<SendResult> there =
                        CompletableFuture.supplyAsync(
                                () -> result(other, second), Thread::startVirtualThread);
                Claim claim = take(inbox());
                boolean isFirst = claim.envelope().equals(first);
                assertThat((isFirst ? here : there).get(30, TimeUnit.SECONDS))
                        .isNotInstanceOf(SendResult.Conflict.class);
                assertThat((isFirst ? there : here).get(30, TimeUnit.SECONDS))
                        .isInstanceOf(SendResult.Conflict.class);
                assertThat(transport.stateOf(id, CODE)).contains(State.ACTIVE);
                assertThat(inbox().settle(claim.token(), new Outcome.Done("")))
                        .isInstanceOf(Settlement.Settled.class);
            }
        }
    }

    private static SendResult result(Transport transport, Envelope envelope) {
        try {
            return transport.send(envelope).copies().getFirst().result();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void mailWithoutAMarkGetsOneWhenItIsTaken() throws Exception {
        Envelope foreign = mail("by hand").seal();
        publish("code.P2." + foreign.id(), foreign.bytes());
        assertThat(take(inbox()).envelope()).isEqualTo(foreign);
        assertThat(send(mail("another").id(foreign.id()).seal()))
                .isInstanceOf(SendResult.Conflict.class);
    }

    @Test
    void forgedMailTakesNoIdAway() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Envelope owner = mail("owner").id(id).seal();
        send(owner);
        byte[] forged =
                new String(mail("forged").id(id).body("one\n").seal().bytes(), UTF_8)
                        .replace("\none\n", "\ntwo\n")
                        .getBytes(UTF_8);
        publish("code.P0." + id, forged);
        assertThat(take(inbox()).envelope()).isEqualTo(owner);
        assertThat(archived(State.DEAD, id + "-2")).contains(forged);
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            assertThat(records(connection).known(CODE, id).orElseThrow().mail())
                    .isEqualTo(owner.fingerprint());
        }
    }

    /// A fingerprint leaves the signature out: both are the same mail by it.
    @Test
    void aRefusedCopyOfFinishedMailDoesNotFreeItsId() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Envelope signed = KEY.sign(signedMail("signed").id(id).seal());
        send(signed);
        inbox().settle(take(inbox()).token(), new Outcome.Done(""));
        byte[] unsigned =
                new String(signed.bytes(), UTF_8).replaceFirst("(?m)^sig:.*\n", "").getBytes(UTF_8);
        assertThat(Envelope.parse(unsigned).fingerprint()).isEqualTo(signed.fingerprint());
        publish("code.P2." + id, unsigned);
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        assertThat(archived(State.DEAD, id + "-2")).contains(unsigned);

        assertThat(send(KEY.sign(signedMail("other").id(id).seal())))
                .isInstanceOf(SendResult.Conflict.class);
        assertThat(transport.stateOf(id, CODE)).contains(State.DONE);
    }

    private EnvelopeDraft signedMail(String topic) {
        return Envelope.draft(SIGNER, List.of(CODE.address()), Lane.CODE, topic)
                .ts(clock.instant());
    }

    @Test
    void mailThatIsRefusedForItsIdFreesTheIdUnderWhichItLay() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Envelope wrong = mail("wrong").seal();
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            mark(connection, id, wrong);
        }
        publish("code.P2." + id, wrong.bytes());
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        assertThat(archived(State.DEAD, id + "-1")).contains(wrong.bytes());

        Envelope right = mail("right").id(id).seal();
        assertThat(send(right)).isInstanceOf(SendResult.Delivered.class);
        assertThat(take(inbox()).envelope()).isEqualTo(right);
    }

    @Test
    void aCopyThatCameInPastTheWindowHasNoSecondEffect() throws Exception {
        Envelope envelope = mail("once").seal();
        send(envelope);
        inbox().settle(take(inbox()).token(), new Outcome.Done(""));
        // The server takes a copy away a moment after it was acknowledged.
        Awaitility.await().until(() -> depth() == 0);
        publish("code.P2." + envelope.id(), envelope.bytes());

        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        Awaitility.await().until(() -> depth() == 0);
    }

    @Test
    void whatSomebodyElseWroteIsKeptAndStopsNothing() throws Exception {
        publish("code.P0.nonsense", new byte[] {1, 2, 3});
        publish("code.P0." + EnvelopeId.random(clock.instant()), new byte[] {4});
        send(mail("good").seal());

        assertThat(take(inbox()).envelope().topic()).isEqualTo("good");
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            assertThat(connection.management().getStreamInfo(options.hive() + "-archive"))
                    .extracting(info -> info.getStreamState().getMsgCount())
                    .isEqualTo(2L);
        }
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
        MessageInfo kept = kept(State.DEAD, envelope.id().toString()).orElseThrow();
        assertThat(kept.getData()).isEqualTo(envelope.bytes());
        assertThat(kept.getHeaders().getFirst("Pheromone-Reason"))
                .isEqualTo("attempt 5 of 5 failed: no ? never");
        Awaitility.await().until(() -> depth() == 0);
    }

    @Test
    void expiredMailLeavesItsIdFree() throws Exception {
        for (String next : List.of("short", "other")) {
            EnvelopeId id = EnvelopeId.random(clock.instant());
            send(shortMail("short", id));
            expire();
            assertThat(archived(State.EXPIRED, id.toString())).isPresent();
            assertThat(transport.stateOf(id, CODE)).contains(State.EXPIRED);

            Envelope again = shortMail(next, id);
            assertThat(result(transport, again)).isInstanceOf(SendResult.Delivered.class);
            assertThat(result(transport, again)).isInstanceOf(SendResult.Duplicate.class);
            assertThat(inbox().waiting()).hasSize(1);
            assertThat(transport.stateOf(id, CODE)).contains(State.WAITING);
            assertThat(transport.find(id)).map(Transport.Found::envelope).contains(again);
            Claim claim = take(inbox());
            assertThat(claim.envelope()).isEqualTo(again);
            assertThat(claim.attempt()).isEqualTo(1);
            assertThat(inbox().settle(claim.token(), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Settled.class);
            assertThat(result(transport, again)).isInstanceOf(SendResult.Duplicate.class);
            assertThat(result(transport, shortMail("third", id)))
                    .isInstanceOf(SendResult.Conflict.class);
        }
    }

    /// Its sender has stored it, and has not come to the mark yet.
    @Test
    void otherMailUnderAFreeIdIsTakenBeforeItsSenderHasTheMark() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        send(shortMail("short", id));
        expire();
        Envelope other = shortMail("other", id);
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            MailStream stream = new MailStream(connection, new Names(options.hive()));
            assertThat(stream.store(CODE, other, clock.instant(), ""))
                    .isEqualTo(new MailStream.Stored.Now(2));
        }
        Claim claim = take(inbox());
        assertThat(claim.envelope()).isEqualTo(other);
        assertThat(send(other)).isInstanceOf(SendResult.Duplicate.class);
        assertThat(send(shortMail("third", id))).isInstanceOf(SendResult.Conflict.class);
        assertThat(inbox().settle(claim.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Settled.class);
    }

    /// A reader of version 0.1 takes mail for finished whose record names another place.
    @Test
    void theRecordOfMailThatIsSentAgainNamesItsNewPlace() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Envelope envelope = shortMail("short", id);
        send(envelope);
        expire();
        send(envelope);
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            MailRecord record = records(connection).find(CODE, id).orElseThrow().record();
            assertThat(record)
                    .isEqualTo(MailRecord.fresh(envelope.fingerprint(), clock.instant()).at(2));
        }
    }

    /// Who found that the mail had expired, by a clock ahead of ours, died before it told the
    /// server.
    @Test
    void expiredMailThatStillLiesThereIsKeptAndMakesRoom() throws Exception {
        for (String next : List.of("same", "other")) {
            EnvelopeId id = EnvelopeId.random(clock.instant());
            Envelope envelope = shortMail("short", id);
            send(envelope);
            try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
                Life life = Life.begun(envelope.fingerprint(), clock.instant());
                MailRecord expired =
                        MailRecord.fresh(envelope.fingerprint(), clock.instant())
                                .with(life.ended(Why.EXPIRED, "ttl 1m is over").life())
                                .at(sequence(connection));
                var _ = records(connection).replace(CODE, id, expired, MailRecords.UNWRITTEN);
            }
            Envelope again = next.equals("same") ? envelope : shortMail(next, id);
            assertThat(result(transport, again)).isInstanceOf(SendResult.Delivered.class);
            assertThat(archived(State.EXPIRED, id.toString())).contains(envelope.bytes());
            Claim claim = take(inbox());
            assertThat(claim.envelope()).isEqualTo(again);
            inbox().settle(claim.token(), new Outcome.Done(""));
        }
    }

    private long sequence(ReconnectingConnection connection) throws IOException {
        return connection
                .ask(() -> connection.management().getStreamInfo(options.hive() + "-mail"))
                .getStreamState()
                .getLastSequence();
    }

    @Test
    void eachMailOfOneIdThatExpiresIsKept() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        List<Header> sent = new ArrayList<>();
        for (String topic : List.of("first", "second", "third")) {
            Envelope envelope = shortMail(topic, id);
            assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
            sent.addFirst(Header.of(envelope));
            if (topic.equals("third")) {
                Claim claim = take(inbox());
                clock.advance(Duration.ofMinutes(2));
                inbox().settle(claim.token(), new Outcome.Released("late"));
            } else {
                expire();
            }
        }
        assertThat(transport.ended(10).orElseThrow())
                .extracting(Ended::header)
                .containsExactlyElementsOf(sent);
        Awaitility.await().until(() -> depth() == 0);
    }

    private Envelope shortMail(String topic, EnvelopeId id) {
        return mail(topic).id(id).ts(clock.instant()).ttl(Ttl.parse("1m")).seal();
    }

    private void expire() throws Exception {
        clock.advance(Duration.ofMinutes(2));
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
    }

    @Test
    void mailThatIsGivenBackAfterItsTimeIsExpired() throws Exception {
        Envelope envelope = mail("late").ts(clock.instant()).ttl(Ttl.parse("1m")).seal();
        send(envelope);
        Claim claim = take(inbox());
        clock.advance(Duration.ofMinutes(2));
        assertThat(inbox().settle(claim.token(), new Outcome.Released("not mine")))
                .isEqualTo(new Settlement.Settled(State.EXPIRED, Settlement.Confirmation.UNKNOWN));
        MessageInfo kept = kept(State.EXPIRED, envelope.id().toString()).orElseThrow();
        assertThat(kept.getHeaders().getFirst("Pheromone-Reason")).isEqualTo("not mine");
    }

    @Test
    void mailDatedADayAheadIsRefusedAndLeavesItsIdFree() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock.instant());
        Instant ahead = clock.instant().plus(Duration.ofHours(25));
        send(mail("early").id(id).ts(ahead).seal());
        assertThat(inbox().select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());

        Envelope again = mail("early").id(id).ts(clock.instant()).seal();
        assertThat(result(transport, again)).isInstanceOf(SendResult.Delivered.class);
        assertThat(take(inbox()).envelope()).isEqualTo(again);
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
        Awaitility.await().until(() -> depth() == 0);
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

    @Test
    void whoWantsMoreReplicasThanTheServerCanKeepIsToldSo() {
        assertThatThrownBy(() -> NatsTransport.open(options.withReplicas(3), clock))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("replicas: found 1 of " + options.hive() + "-mail")
                .hasMessageContaining("expected 3");
    }

    private void mark(ReconnectingConnection connection, EnvelopeId id, Envelope owner)
            throws IOException {
        assertThat(records(connection).remark(CODE, id, owner.fingerprint(), MailRecords.UNWRITTEN))
                .isTrue();
    }

    private MailRecords records(ReconnectingConnection connection) {
        return new MailRecords(connection, new Names(options.hive()));
    }

    private Optional<byte[]> archived(State state, String name) throws IOException {
        return kept(state, name).map(MessageInfo::getData);
    }

    private Optional<MessageInfo> kept(State state, String name) throws IOException {
        Names names = new Names(options.hive());
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            return connection.last(names.archiveStream(), names.archived(CODE, state, name));
        }
    }

    private void publish(String name, byte[] bytes) throws IOException {
        String subject = "pheromone." + options.hive() + ".mail." + name;
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            var _ = connection.store(subject, new Headers(), bytes, 0, "");
        }
    }

    private long depth() throws Exception {
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            return connection
                    .management()
                    .getStreamInfo(options.hive() + "-mail")
                    .getStreamState()
                    .getMsgCount();
        }
    }
}
