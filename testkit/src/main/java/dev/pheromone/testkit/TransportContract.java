package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.selection.Waiting;
import dev.pheromone.trust.SignatureCheck;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What every transport promises. A transport's test class implements this, and gets these tests.
///
/// The hive under test has inboxes `code` and `docs`, no mail, trust in `TRUST`, `CHECK` for public
/// mail, and the clock of `clock()`, which starts now.
///
/// The parts beside it ([RepeatedOutcomeContract], [BadMailContract], [ProcessContract]) ask for
/// more of a test than to open a hive. A test class implements these too, or says in `leftOut` why
/// a part can't be asked of its transport.
public interface TransportContract extends LifeContract {

    /// The parts that this contract does not have in it.
    List<Class<?>> PARTS =
            List.of(RepeatedOutcomeContract.class, BadMailContract.class, ProcessContract.class);

    /// Parts that can't be asked of this transport, and why not.
    default Map<Class<?>, String> leftOut() {
        return Map.of();
    }

    @Test
    default void eachPartOfTheContractIsRunOrLeftOutForAReason() {
        for (Class<?> part : PARTS) {
            assertThat(part.isInstance(this))
                    .as("%s is implemented, and not left out", part.getSimpleName())
                    .isNotEqualTo(leftOut().containsKey(part));
        }
        assertThat(leftOut().values()).noneMatch(String::isBlank);
    }

    @Test
    default void whatIsSentArrivesByteForByteWithinTheDeclaredLag() throws Exception {
        for (int i = 0; i < 100; i++) {
            Envelope sent =
                    mail("Grüße, \"quoted\" — 日本 🐜 " + i)
                            .tags(List.of("a", "b: c"))
                            .body("x".repeat(i % 20 == 0 ? 64 * 1024 : i))
                            .seal();
            assertThat(send(sent)).isInstanceOf(SendResult.Delivered.class);

            Claim claim = takeWithin(transport().lag().arrival(), inbox(), LEASE);
            assertThat(claim.envelope().bytes()).isEqualTo(sent.bytes());
            assertSettled(inbox().settle(claim.token(), new Outcome.Done("")), State.DONE);
            clock().advance(Duration.ofSeconds(2));
        }
    }

    @Test
    default void aSignatureHoldsWhereItArrivesAndMailWithoutItDoesNot() throws Exception {
        EnvelopeDraft draft =
                Envelope.draft(SIGNER, List.of(CODE.address()), Lane.CODE, "signed")
                        .ts(clock().instant())
                        .body("Grüße — 🐜\r\n\n");
        Envelope signed = KEY.sign(draft.seal());
        assertThat(send(signed)).isInstanceOf(SendResult.Delivered.class);
        Claim claim = take(inbox());
        assertThat(claim.envelope().bytes()).isEqualTo(signed.bytes());
        assertThat(claim.signature()).isEqualTo(new SignatureCheck.Valid(KEY.kid(), SIGNER, false));

        SendResult _ = send(draft.id(EnvelopeId.random(clock().instant())).seal());
        assertNothing(inbox());
    }

    @Test
    default void whoLooksIsToldWhichMailIsAQuestionOrAnAnswer() throws Exception {
        Ask ask = new Ask(List.of("yes"), false, null, null, List.of());
        send(mail("a question").ask(ask).seal());
        send(mail("an answer").answer("yes").seal());
        send(mail("a task").seal());
        Map<String, String> found = new TreeMap<>();
        for (Waiting waiting : inbox().waiting()) {
            Header header = ((Waiting.Mail) waiting).header();
            found.put(header.topic(), header.question() + " " + header.answer());
        }
        assertThat(found)
                .isEqualTo(
                        Map.of(
                                "a question", "true false",
                                "an answer", "false true",
                                "a task", "false false"));
    }

    @Test
    default void sendingTheSameEnvelopeTwiceLeavesOne() throws Exception {
        Envelope envelope = mail("once").seal();
        assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
        assertThat(send(envelope)).isInstanceOf(SendResult.Duplicate.class);
        assertThat(transport().stateOf(envelope.id(), CODE)).contains(State.WAITING);
        take(inbox());
        assertNothing(inbox());
    }

    @Test
    default void sendingAgainWhileItIsWorkedOnIsADuplicate() throws Exception {
        Envelope envelope = mail("active").seal();
        send(envelope);
        take(inbox());
        assertThat(transport().stateOf(envelope.id(), CODE)).contains(State.ACTIVE);
        assertThat(send(envelope)).isInstanceOf(SendResult.Duplicate.class);
    }

    @Test
    default void sendingAgainAfterItIsDoneIsADuplicateEvenAfterARestart() throws Exception {
        Envelope envelope = mail("done").seal();
        send(envelope);
        inbox().settle(take(inbox()).token(), new Outcome.Done(""));
        assertThat(transport().stateOf(envelope.id(), CODE)).contains(State.DONE);
        try (Transport again = reopened()) {
            assertThat(again.send(envelope).copies().getFirst().result())
                    .isInstanceOf(SendResult.Duplicate.class);
            assertNothing(again.inbox(CODE));
        }
    }

    @Test
    default void anotherEnvelopeWithTheSameIdIsAConflict() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock().instant());
        send(mail("first").id(id).seal());

        assertThat(send(mail("second").id(id).body("Something else.\n").seal()))
                .isInstanceOf(SendResult.Conflict.class);
        assertThat(take(inbox()).envelope().topic()).isEqualTo("first");
        assertNothing(inbox());
    }

    @Test
    default void theSameBodyUnderAnotherHeaderIsAConflictToo() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock().instant());
        send(mail("first").id(id).body("same\n").seal());

        assertThat(send(mail("second").id(id).body("same\n").priority(Priority.P0).seal()))
                .isInstanceOf(SendResult.Conflict.class);
        assertThat(take(inbox()).envelope().topic()).isEqualTo("first");
        assertNothing(inbox());
    }

    @Test
    default void anUnknownRecipientMeansThatNobodyGetsIt() throws Exception {
        Envelope envelope =
                Envelope.draft(
                                SENDER,
                                List.of(
                                        Address.parse("queen://code"),
                                        Address.parse("queen://cdoe")),
                                Lane.CODE,
                                "typo")
                        .ts(clock().instant())
                        .seal();
        assertThatThrownBy(() -> transport().send(envelope))
                .isInstanceOf(NoSuchInboxException.class)
                .hasMessageContaining("queen://cdoe");
        assertNothing(inbox());
    }

    @Test
    default void eachRecipientHasACopyWithALifeOfItsOwn() throws Exception {
        Envelope envelope =
                Envelope.draft(
                                SENDER,
                                List.of(
                                        Address.parse("queen://code"),
                                        Address.parse("queen://docs")),
                                Lane.CODE,
                                "both")
                        .ts(clock().instant())
                        .seal();
        assertThat(transport().send(envelope).copies())
                .extracting(copy -> copy.inbox())
                .containsExactly(CODE, DOCS);

        inbox().settle(take(inbox()).token(), new Outcome.Done(""));
        Claim other = take(transport().inbox(DOCS));
        assertThat(other.envelope().bytes()).isEqualTo(envelope.bytes());
        assertSettled(
                transport().inbox(DOCS).settle(other.token(), new Outcome.Done("")), State.DONE);
    }

    @Test
    default void theMostUrgentComesFirstAndTheOlderOfEquals() throws Exception {
        send(mail("P2 older").priority(Priority.P2).seal());
        clock().advance(Duration.ofSeconds(1));
        send(mail("P2 newer").priority(Priority.P2).seal());
        send(mail("P0").priority(Priority.P0).seal());

        List<String> order = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            order.add(take(inbox()).envelope().topic());
        }
        assertThat(order).containsExactly("P0", "P2 older", "P2 newer");
    }

    @Test
    default void aLookShowsTheOrderAndChangesNothing() throws Exception {
        send(mail("low").priority(Priority.P3).seal());
        send(mail("high").priority(Priority.P1).seal());

        for (int i = 0; i < 2; i++) {
            assertThat(inbox().waiting())
                    .extracting(waiting -> ((Waiting.Mail) waiting).header().topic())
                    .containsExactly("high", "low");
        }
    }

    @Test
    default void aClaimIsOneReadersOnly() throws Exception {
        send(mail("mine").seal());
        take(inbox());

        assertNothing(inbox());
        try (Transport other = reopened()) {
            assertNothing(other.inbox(CODE));
        }
    }

    @Test
    default void aRenewedLeaseGoesOn() throws Exception {
        send(mail("long work").seal());
        Claim claim = take(inbox());
        for (int i = 0; i < 3; i++) {
            clock().advance(LEASE.duration().minusSeconds(1));
            assertThat(inbox().renew(claim.token())).isInstanceOf(Settlement.Renewed.class);
            assertNothing(inbox());
        }
        assertSettled(inbox().settle(claim.token(), new Outcome.Done("")), State.DONE);
    }

    @Test
    default void doneIsFinalAndMayBeSaidTwice() throws Exception {
        send(mail("done").seal());
        Claim claim = take(inbox());

        assertSettled(inbox().settle(claim.token(), new Outcome.Done("first")), State.DONE);
        assertSettled(inbox().settle(claim.token(), new Outcome.Done("again")), State.DONE);
        assertThat(inbox().settle(claim.token(), new Outcome.Failed("too late")))
                .isInstanceOf(Settlement.Lost.class);
        clock().advance(Duration.ofHours(1));
        assertNothing(inbox());
    }

    @Test
    default void whatIsExpiredIsNotDelivered() throws Exception {
        send(mail("stale").ttl(Ttl.parse("10s")).seal());
        clock().advance(Duration.ofSeconds(10));

        assertNothing(inbox());
    }

    @Test
    default void aLiveClaimMayFinishAfterTheTtl() throws Exception {
        send(mail("just in time").ttl(Ttl.parse("10s")).seal());
        Claim claim = take(inbox());
        clock().advance(Duration.ofSeconds(20));

        assertSettled(inbox().settle(claim.token(), new Outcome.Done("")), State.DONE);
    }

    @Test
    default void mailGoesNoFartherThanItsConsent() throws Exception {
        Reach reach = transport().reach();
        List<String> sent = new ArrayList<>();
        for (Consent consent : Consent.values()) {
            Envelope envelope = mail("for " + consent).consent(consent).seal();
            SendResult result = send(envelope);
            if (consent.allows(reach)) {
                assertThat(result).isInstanceOf(SendResult.Delivered.class);
                sent.add(envelope.topic());
            } else {
                assertThat(result).isEqualTo(new SendResult.BeyondConsent(consent, reach));
            }
        }
        assertThat(inbox().waiting())
                .filteredOn(Waiting.Mail.class::isInstance)
                .extracting(waiting -> ((Waiting.Mail) waiting).header().topic())
                .containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    default void publicMailThatHoldsWhatMustNotBeIsRefusedByKindAndNotStored() throws Exception {
        EnvelopeDraft telling =
                Envelope.draft(
                                SIGNER,
                                List.of(CODE.address(), DOCS.address()),
                                Lane.CODE,
                                "telling")
                        .ts(clock().instant())
                        .body("log in with hunter2\n");
        Envelope open = KEY.sign(telling.consent(Consent.PUBLIC).seal());
        SendResult refused = new SendResult.NotPublic(List.of("password"), "it holds a password");

        assertThat(transport().send(open).copies())
                .extracting(Receipt.Copy::result)
                .containsExactly(refused, refused);
        assertThat(transport().send(open, CODE).copies())
                .extracting(Receipt.Copy::result)
                .containsExactly(refused);
        assertThat(transport().stateOf(open.id(), CODE)).isEmpty();
        assertNothing(inbox());
        assertNothing(transport().inbox(DOCS));

        // Within the team it may be said, and what is said there is not looked through.
        assertThat(send(mail("inside").body("log in with hunter2\n").seal()))
                .isInstanceOf(SendResult.Delivered.class);
    }

    @Test
    default void waitingEndsSoonAfterMailArrives() throws Exception {
        Inbox inbox = inbox();
        assertNothing(inbox);
        inbox.await(Duration.ofMillis(1));
        assertNothing(inbox);
        Thread sender =
                Thread.ofVirtual()
                        .unstarted(() -> {
                            try {
                                send(mail("wake up").seal());
                            } catch (IOException | NoSuchInboxException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        sender.start();
        Selection selection = new Selection.Nothing();
        for (int i = 0; i < 20 && selection instanceof Selection.Nothing; i++) {
            inbox.await(Duration.ofSeconds(1));
            selection = inbox.select(WORKER, LEASE);
        }
        sender.join();
        assertThat(new String(assertTaken(selection).envelope().body(), StandardCharsets.UTF_8))
                .contains("wake up");
    }

    @Test
    default void sendingToOneInboxLeavesTheOthersForLater() throws Exception {
        Envelope envelope =
                Envelope.draft(SENDER, List.of(CODE.address(), DOCS.address()), Lane.CODE, "one")
                        .ts(clock().instant())
                        .seal();
        assertThat(transport().send(envelope, DOCS).copies())
                .singleElement()
                .satisfies(copy -> {
                    assertThat(copy.inbox()).isEqualTo(DOCS);
                    assertThat(copy.result()).isInstanceOf(SendResult.Delivered.class);
                });
        assertThat(transport().stateOf(envelope.id(), CODE)).isEmpty();
        assertNothing(inbox());

        List<Receipt.Copy> copies = transport().send(envelope).copies();
        assertThat(copies).extracting(Receipt.Copy::inbox).containsExactly(CODE, DOCS);
        assertThat(copies.getFirst().result()).isInstanceOf(SendResult.Delivered.class);
        assertThat(copies.getLast().result()).isInstanceOf(SendResult.Duplicate.class);
        assertThat(take(inbox()).envelope()).isEqualTo(envelope);
        assertThat(take(transport().inbox(DOCS)).envelope()).isEqualTo(envelope);
    }

    @Test
    default void sendingToAnInboxThatIsNotThereSendsNothing() throws Exception {
        Envelope envelope = mail("nowhere").seal();
        assertThatThrownBy(() -> transport().send(envelope, Domain.parse("cdoe")))
                .isInstanceOf(NoSuchInboxException.class)
                .hasMessageContaining("queen://cdoe");
        assertThat(transport().stateOf(envelope.id(), CODE)).isEmpty();
        assertNothing(inbox());
    }

    /// Whether inboxes can be made through the transport, and not only by whoever runs the other
    /// side.
    default boolean makesInboxes() {
        return true;
    }

    @Test
    default void anInboxThatWasMadeTakesMailFromEverybody() throws Exception {
        Domain made = Domain.parse("made");
        Envelope envelope =
                Envelope.draft(SENDER, List.of(made.address()), Lane.CODE, "first")
                        .ts(clock().instant())
                        .seal();
        assertThatThrownBy(() -> transport().send(envelope))
                .isInstanceOf(NoSuchInboxException.class);
        assertThatThrownBy(() -> transport().inbox(made)).isInstanceOf(NoSuchInboxException.class);
        if (!makesInboxes()) {
            assertThatThrownBy(() -> transport().createInbox(made)).isInstanceOf(IOException.class);
            return;
        }
        transport().createInbox(made);
        assertThat(transport().domains()).contains(CODE, DOCS, made);
        try (Transport other = reopened()) {
            assertThat(other.domains()).contains(made);
            assertThat(other.send(envelope).copies().getFirst().result())
                    .isInstanceOf(SendResult.Delivered.class);
        }
        // Made again, the inbox keeps what it has.
        transport().createInbox(made);
        assertThat(take(transport().inbox(made)).envelope()).isEqualTo(envelope);
    }
}
