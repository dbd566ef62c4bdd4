package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Carrier;
import dev.pheromone.PublicCheck;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.question.Proof;
import dev.pheromone.question.Question;
import dev.pheromone.question.QuestionState;
import dev.pheromone.question.StoredAnswer;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.SignaturePolicy;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// What every carrier promises, whether it stores mail or only brings it to who does. A carrier's
/// test class implements this, and gets these tests.
///
/// The hive under test has inboxes `code` and `docs` where inboxes are made, no mail, trust in
/// `TRUST`, `CHECK` for public mail, and the clock of `clock()`.
public interface CarrierContract {

    Domain CODE = Domain.parse("code");
    Domain DOCS = Domain.parse("docs");
    Actor SENDER = Actor.parse("ada");

    /// Who signs what is sent; all other senders have no key.
    Actor SIGNER = Actor.parse("signer.one");

    Signer KEY = Signer.ed25519(KeyId.parse("contract"), new byte[32]);
    TrustList TRUST = TrustList.empty().with(Key.of(KEY, List.of(SIGNER)));

    /// Finds one word in bodies.
    PublicCheck CHECK =
            envelope ->
                    envelope.bodyText().contains("hunter2")
                            ? Optional.of(
                                    new SendResult.NotPublic(
                                            List.of("password"), "it holds a password"))
                            : Optional.empty();

    /// What a test sends with.
    Carrier carrier();

    /// The same hive, opened anew, as another process would.
    Carrier another() throws IOException;

    FakeClock clock();

    /// Whether a copy is stored by the carrier itself, so that sending needs nobody who receives.
    default boolean storesMail() {
        return carrier() instanceof Transport;
    }

    default EnvelopeDraft mail(String topic) {
        return Envelope.draft(SENDER, List.of(CODE.address()), Lane.CODE, topic)
                .ts(clock().instant())
                .body("Please look at " + topic + ".\n");
    }

    default SendResult send(Envelope envelope) throws IOException, NoSuchInboxException {
        return carrier().send(envelope).copies().getFirst().result();
    }

    /// A hive that joined, and receives into memory.
    default ReceivingHive join(Domain... inboxes) throws Exception {
        return new ReceivingHive(another(), clock(), inboxes);
    }

    /// Asserts that `envelope` was delivered where something received it, or may be on its way
    /// where it was not received at the first try.
    default void assertOnItsWay(SendResult result) {
        if (storesMail()) {
            assertThat(result).isInstanceOf(SendResult.Delivered.class);
        } else {
            assertThat(result)
                    .isInstanceOfAny(SendResult.Delivered.class, SendResult.Unanswered.class);
        }
    }

    @Test
    default void whatIsDeliveredIsWithTheReceiverByteForByte() throws Exception {
        try (ReceivingHive hive = join(CODE)) {
            List<Envelope> sent = new ArrayList<>();
            for (int length : List.of(0, 1, 1_000, 64 * 1024)) {
                Envelope envelope =
                        mail("Grüße, \"quoted\" — 日本 🐜 " + length)
                                .tags(List.of("a", "b: c"))
                                .body("é".repeat(length / 2) + "x".repeat(length % 2))
                                .seal();
                assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
                sent.add(envelope);
            }
            for (Envelope envelope : sent) {
                assertThat(hive.await(envelope, CODE).bytes()).isEqualTo(envelope.bytes());
            }
        }
    }

    @Test
    default void aQuestionAndItsAnswerArriveAndEndTheQuestion() throws Exception {
        Ask ask =
                new Ask(
                        List.of("yes", "no, never"),
                        false,
                        "no, never",
                        clock().instant().plus(Duration.ofMinutes(30)),
                        List.of(Address.parse("worker://signer-one")));
        Envelope question = mail("may I?").ask(ask).seal();
        try (ReceivingHive hive = join(CODE)) {
            assertThat(send(question)).isInstanceOf(SendResult.Delivered.class);
            Envelope received = hive.await(question, CODE);
            Question asked = Question.of(received).orElseThrow();
            assertThat(asked).isEqualTo(Question.of(question).orElseThrow());

            Envelope answer =
                    KEY.sign(
                            Envelope.draft(SIGNER, List.of(CODE.address()), Lane.CODE, "Re: may I?")
                                    .ts(clock().instant())
                                    .correlationId(received.id())
                                    .answer("yes")
                                    .body("yes\n")
                                    .seal());
            assertThat(send(answer)).isInstanceOf(SendResult.Delivered.class);
            Envelope brought = hive.await(answer, CODE);
            assertThat(brought.correlationId()).contains(asked.id());
            StoredAnswer stored =
                    StoredAnswer.of(
                            brought,
                            brought.answer().orElseThrow(),
                            clock().instant(),
                            TRUST.check(brought, clock().instant(), SignaturePolicy.OPTIONAL),
                            false,
                            false);
            Question.Keys keys = (actor, _) -> actor.equals(SIGNER);
            assertThat(asked.look(List.of(stored), keys, clock().instant()).state())
                    .isEqualTo(
                            new QuestionState.Answered(
                                    brought.id(), "yes", SIGNER, Proof.KEY, stored.storedAt()));
        }
    }

    @Test
    default void deliveredIsSaidWhenItIsStoredAndNotBefore() throws Exception {
        CountDownLatch mayStore = new CountDownLatch(1);
        Envelope envelope = mail("stored").seal();
        try (ReceivingHive hive = join(CODE);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            hive.before(() -> ReceivingHive.await(mayStore));
            Future<SendResult> sent = threads.submit(() -> send(envelope));
            hive.awaitOffers(1);
            if (!storesMail()) {
                assertThat(sent.isDone()).isFalse();
            }
            mayStore.countDown();
            assertThat(sent.get(30, TimeUnit.SECONDS)).isInstanceOf(SendResult.Delivered.class);
            var _ = hive.await(envelope, CODE);
        }
    }

    @Test
    default void sendingAgainIsADuplicateAndHasOneEffect() throws Exception {
        Envelope envelope = mail("once").seal();
        try (ReceivingHive hive = join(CODE)) {
            assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
            var _ = hive.await(envelope, CODE);
            for (int i = 0; i < 3; i++) {
                assertThat(send(envelope)).isInstanceOf(SendResult.Duplicate.class);
            }
            assertThat(hive.stored(CODE)).containsExactly(envelope);
        }
    }

    @Test
    default void otherMailUnderTheSameIdIsAConflictAndNotReceived() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock().instant());
        Envelope first = mail("first").id(id).seal();
        try (ReceivingHive hive = join(CODE)) {
            assertThat(send(first)).isInstanceOf(SendResult.Delivered.class);
            var _ = hive.await(first, CODE);
            assertThat(send(mail("second").id(id).body("Something else.\n").seal()))
                    .isInstanceOf(SendResult.Conflict.class);
            assertThat(hive.stored(CODE)).containsExactly(first);
        }
    }

    @Test
    default void aReceiverThatCanNotStoreItNowGetsItAgain() throws Exception {
        Envelope envelope = mail("again").seal();
        try (ReceivingHive hive = join(CODE)) {
            hive.failOnce(new IOException("the disk is full"));
            assertOnItsWay(send(envelope));
            assertThat(hive.await(envelope, CODE).bytes()).isEqualTo(envelope.bytes());
            assertThat(hive.stored(CODE)).containsExactly(envelope);
            assertThat(hive.offers()).isGreaterThan(1);
        }
    }

    @Test
    default void aRefusalIsToldToTheSenderOrTriedAgainWhereThatOneHasGone() throws Exception {
        SendResult full = new SendResult.Refused(Duration.ofSeconds(7), "the inbox is full");
        Envelope envelope = mail("refused").seal();
        try (ReceivingHive hive = join(CODE)) {
            hive.answerOnce(full);
            SendResult result = send(envelope);
            if (carrier() instanceof Transport transport) {
                hive.awaitOffers(1);
                ReceivingHive.await("the refused copy", () -> isWaiting(transport, envelope));
                clock().advance(Duration.ofSeconds(8));
            } else {
                assertThat(result).isEqualTo(full);
                assertThat(hive.stored(CODE)).isEmpty();
                assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
            }
            var _ = hive.await(envelope, CODE);
        }
    }

    @Test
    default void whatIsNeverTakenIsToldToTheSenderWithItsGround() throws Exception {
        for (SendResult.Ground ground : SendResult.Ground.values()) {
            SendResult rejected = new SendResult.Rejected(ground, "never here");
            Envelope envelope = mail("rejected for " + ground).seal();
            try (ReceivingHive hive = join(CODE)) {
                hive.answerOnce(rejected);
                SendResult result = send(envelope);
                hive.awaitOffers(1);
                if (storesMail()) {
                    // The transport had the copy before its receiver was asked.
                    assertThat(result).isInstanceOf(SendResult.Delivered.class);
                } else {
                    assertThat(result).isEqualTo(rejected);
                }
                assertThat(hive.stored(CODE)).isEmpty();
            }
        }
    }

    @Test
    default void whoReceivesCanBeSentTo() throws Exception {
        try (ReceivingHive _ = join(CODE, DOCS)) {
            assertThat(carrier().domains()).contains(CODE, DOCS);
        }
    }

    @Test
    default void eachInboxGetsItsCopy() throws Exception {
        Envelope envelope = toBoth("both").seal();
        try (ReceivingHive hive = join(CODE, DOCS)) {
            assertThat(carrier().send(envelope).copies())
                    .allSatisfy(copy ->
                            assertThat(copy.result()).isInstanceOf(SendResult.Delivered.class))
                    .extracting(Receipt.Copy::inbox)
                    .containsExactly(CODE, DOCS);
            assertThat(hive.await(envelope, CODE).bytes()).isEqualTo(envelope.bytes());
            assertThat(hive.await(envelope, DOCS).bytes()).isEqualTo(envelope.bytes());
        }
    }

    @Test
    default void oneOfSeveralInboxesCanBeSentToAlone() throws Exception {
        Envelope envelope = toBoth("one of them").seal();
        try (ReceivingHive hive = join(CODE, DOCS)) {
            assertThat(carrier().send(envelope, DOCS).copies())
                    .singleElement()
                    .satisfies(copy -> assertThat(copy.inbox()).isEqualTo(DOCS));
            var _ = hive.await(envelope, DOCS);
            assertThat(hive.stored(CODE)).isEmpty();
        }
    }

    private static boolean isWaiting(Transport transport, Envelope envelope) {
        try {
            return transport.stateOf(envelope.id(), CODE).equals(Optional.of(State.WAITING));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private EnvelopeDraft toBoth(String topic) {
        return Envelope.draft(SENDER, List.of(CODE.address(), DOCS.address()), Lane.CODE, topic)
                .ts(clock().instant());
    }

    @Test
    default void withoutAReceiverNothingIsDeliveredThatIsNotStored() throws Exception {
        Envelope envelope = mail("nobody there").seal();
        SendResult result = send(envelope);
        if (storesMail()) {
            assertThat(result).isInstanceOf(SendResult.Delivered.class);
        } else {
            assertThat(result).isInstanceOf(SendResult.Unanswered.class);
        }
        try (ReceivingHive hive = join(CODE)) {
            SendResult again = send(envelope);
            assertThat(again)
                    .isInstanceOf(
                            storesMail() ? SendResult.Duplicate.class : SendResult.Delivered.class);
            var _ = hive.await(envelope, CODE);
        }
    }

    @Test
    default void whoComesBackGetsWhatWasSentMeanwhile() throws Exception {
        join(CODE).close();
        Envelope envelope = mail("meanwhile").seal();
        SendResult result = send(envelope);
        if (!storesMail()) {
            assertThat(result)
                    .isInstanceOfSatisfying(
                            SendResult.Unanswered.class,
                            unanswered ->
                                    assertThat(unanswered.at()).isEqualTo(SendResult.Place.BROKER));
        }
        try (ReceivingHive hive = join(CODE)) {
            assertThat(hive.await(envelope, CODE).bytes()).isEqualTo(envelope.bytes());
        }
    }

    @Test
    default void whatIsBeyondItsConsentIsSentToNobody() throws Exception {
        try (ReceivingHive hive = join(CODE)) {
            for (Consent consent : Consent.values()) {
                Envelope envelope = mail("for " + consent).consent(consent).seal();
                SendResult expected = new SendResult.BeyondConsent(consent, carrier().reach());
                if (!consent.allows(carrier().reach())) {
                    assertThat(send(envelope)).isEqualTo(expected);
                }
            }
            Envelope last = mail("last").seal();
            assertThat(send(last)).isInstanceOf(SendResult.Delivered.class);
            var _ = hive.await(last, CODE);
            assertThat(hive.stored(CODE)).containsExactly(last);
        }
    }

    @Test
    default void publicMailIsLookedThroughBeforeItLeaves() throws Exception {
        EnvelopeDraft draft =
                Envelope.draft(SIGNER, List.of(CODE.address()), Lane.CODE, "open")
                        .ts(clock().instant())
                        .consent(Consent.PUBLIC);
        try (ReceivingHive hive = join(CODE)) {
            assertThat(send(KEY.sign(draft.body("log in with hunter2\n").seal())))
                    .isEqualTo(
                            new SendResult.NotPublic(List.of("password"), "it holds a password"));
            Envelope harmless =
                    KEY.sign(
                            draft.id(EnvelopeId.random(clock().instant()))
                                    .body("all is well\n")
                                    .seal());
            assertThat(send(harmless)).isInstanceOf(SendResult.Delivered.class);
            var _ = hive.await(harmless, CODE);
            assertThat(hive.stored(CODE)).containsExactly(harmless);
        }
    }

    @Test
    default void manySendersAtOnceAreAllHeard() throws Exception {
        try (ReceivingHive hive = join(CODE, DOCS);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Envelope>> sent = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                Envelope envelope =
                        Envelope.draft(
                                        Actor.parse("sender-" + i),
                                        List.of((i % 2 == 0 ? CODE : DOCS).address()),
                                        Lane.CODE,
                                        "from " + i)
                                .ts(clock().instant())
                                .seal();
                sent.add(
                        threads.submit(() -> {
                            assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
                            return envelope;
                        }));
            }
            for (Future<Envelope> one : sent) {
                Envelope envelope = one.get(30, TimeUnit.SECONDS);
                Address to = envelope.to().getFirst();
                var _ = hive.await(envelope, to.domain());
            }
            assertThat(hive.stored(CODE)).hasSize(12);
            assertThat(hive.stored(DOCS)).hasSize(12);
        }
    }

    @Test
    default void whoLeavesWhileMailIsBeingStoredLosesNothing() throws Exception {
        CountDownLatch mayStore = new CountDownLatch(1);
        Envelope envelope = mail("in between").seal();
        MemoryTransport kept = ReceivingHive.memory(clock(), CODE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<SendResult> sent;
            try (ReceivingHive hive = new ReceivingHive(another(), kept, CODE)) {
                hive.before(() -> ReceivingHive.await(mayStore));
                sent = threads.submit(() -> send(envelope));
                hive.awaitOffers(1);
                CompletableFuture<Void> leaving = CompletableFuture.runAsync(hive::leave, threads);
                mayStore.countDown();
                leaving.get(30, TimeUnit.SECONDS);
            }
            assertOnItsWay(sent.get(30, TimeUnit.SECONDS));
            try (ReceivingHive next = new ReceivingHive(another(), kept, CODE)) {
                var _ = next.await(envelope, CODE);
                assertThat(next.stored(CODE)).containsExactly(envelope);
            }
        }
    }
}
