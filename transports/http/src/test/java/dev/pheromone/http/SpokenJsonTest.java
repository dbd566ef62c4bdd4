package dev.pheromone.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Claim;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;
import dev.pheromone.trust.SignatureCheck;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// What both sides speak is read as it was written, by way of its bytes; and no place on the
/// server's disk is told.
final class SpokenJsonTest {

    private static final Instant NOW = Instant.parse("2025-10-15T17:10:00.250Z");
    private static final Domain CODE = Domain.parse("code");
    private static final String THERE = "http://localhost/there";
    private static final Lock LOCK = new Lock(LockKind.DO_NOT_ALTER, "", "rotg-2", "");

    private static Envelope mail() {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code"), Address.parse("user://bob")),
                        Lane.CODE,
                        "caf\u00e9 \"quoted\"")
                .ts(NOW)
                .priority(Priority.P1)
                .tags(List.of("a b", "no"))
                .body("---\nid: x\n---\n\u0000 and \ud83d\udc1c\n")
                .seal();
    }

    private static Json.Obj over(Json.Obj json) throws MalformedJsonException {
        return (Json.Obj) Json.parse(json.toString().getBytes(StandardCharsets.UTF_8));
    }

    static List<SendResult> results() {
        return List.of(
                new SendResult.Delivered(THERE),
                new SendResult.Duplicate(THERE),
                new SendResult.Conflict(THERE, "another mail has this id"),
                new SendResult.Unconfirmed(THERE, "the folder was not forced"),
                new SendResult.Withheld(LOCK, "locked", ""),
                new SendResult.Withheld(LOCK, "locked", THERE),
                new SendResult.Refused(Duration.ofSeconds(7), "too fast"),
                new SendResult.Parked(THERE, NOW, "ada is muted"),
                new SendResult.Spooled(THERE, SendResult.Place.HERE, "nobody answered"),
                new SendResult.NotPublic(List.of("email"), "1 e-mail address"),
                new SendResult.BeyondConsent(Consent.PRIVATE, Reach.TEAM));
    }

    @ParameterizedTest
    @MethodSource("results")
    void aReceipt(SendResult result) throws Exception {
        Envelope mail = mail();
        Receipt receipt =
                new Receipt(
                        mail.id(),
                        mail.hash(),
                        List.of(new Receipt.Copy(mail.to().getFirst(), CODE, result)),
                        new Receipt.Wait(Duration.ofSeconds(2), "the inbox is full"));
        assertThat(ReceiptJson.read(over(ReceiptJson.write(receipt)), THERE)).isEqualTo(receipt);
    }

    @Test
    void aServerIsNotBelievedThatAnybodyWaitedForever() throws Exception {
        Envelope mail = mail();
        Json.Obj json =
                ReceiptJson.write(new Receipt(mail.id(), mail.hash(), List.of()))
                        .put("waited_s", Long.MAX_VALUE);
        assertThat(ReceiptJson.read(over(json), THERE).waited().length())
                .isEqualTo(Duration.ofHours(1));
    }

    static List<SignatureCheck> checks() {
        return List.of(
                new SignatureCheck.Unsigned(),
                new SignatureCheck.Bad("key laptop is not trusted here"),
                new SignatureCheck.Valid(KeyId.parse("laptop"), Actor.parse("ada"), true));
    }

    @ParameterizedTest
    @MethodSource("checks")
    void aClaim(SignatureCheck check) throws Exception {
        Claim claim =
                new Claim(
                        "01K7N3Q8ZR4D6T2W9XAVHB5YCE.2.bob.1.60.x",
                        mail(),
                        CODE,
                        Actor.parse("bob"),
                        2,
                        NOW,
                        NOW.plusSeconds(60),
                        check,
                        "P1, age 12m of 1h",
                        THERE);
        Claim read = ClaimJson.read(over(ClaimJson.write(claim)), THERE);
        assertThat(read.envelope().bytes()).isEqualTo(claim.envelope().bytes());
        assertThat(read).usingRecursiveComparison().ignoringFields("envelope").isEqualTo(claim);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "code", "../x.y", "CODE.x"})
    void aClaimWithoutAnInboxInItsNameIsNone(String name) {
        assertThatThrownBy(() -> ClaimJson.Name.parse(name))
                .isInstanceOf(IllegalArgumentException.class);
    }

    static List<Settlement> settlements() {
        return List.of(
                new Settlement.Renewed(NOW),
                new Settlement.Settled(State.DONE, Settlement.Confirmation.ON_DISK),
                new Settlement.Settled(State.DEAD, Settlement.Confirmation.UNKNOWN),
                new Settlement.Settled(State.WAITING, Settlement.Confirmation.ON_DISK),
                new Settlement.Lost("another worker has it"),
                new Settlement.Withheld(LOCK, "locked", ""),
                new Settlement.Withheld(LOCK, "locked", THERE));
    }

    @ParameterizedTest
    @MethodSource("settlements")
    void theEndOfAClaim(Settlement settlement) throws Exception {
        assertThat(SettlementJson.read(over(SettlementJson.write(settlement)), THERE))
                .isEqualTo(settlement);
    }

    @Test
    void whatWaits() throws Exception {
        Envelope mail = mail();
        Header header = Header.of(mail);
        Urgency urgency =
                new Urgency(
                        mail.id(),
                        mail.priority(),
                        mail.ts(),
                        NOW.minusSeconds(3),
                        mail.ttl().duration(),
                        mail.ttl().duration().dividedBy(4),
                        1,
                        NOW.plusSeconds(10));
        Waiting waiting = new Waiting.Mail(header, urgency, 2, THERE);
        assertThat(WaitingJson.read(over(WaitingJson.write(waiting, NOW)), THERE))
                .isEqualTo(waiting);
    }

    @Test
    void whyAFileIsNoMailStaysAtHome() throws Exception {
        Waiting bad =
                new Waiting.Bad(
                        "/home/ada/.deia/inbox/code/x.md",
                        "line 3: topic: found \"the password is hunter2",
                        mail().id());
        Json.Obj json = WaitingJson.write(bad, NOW);
        assertThat(json.toString()).doesNotContain("hunter2", "/home/ada");
        assertThat(WaitingJson.read(over(json), THERE))
                .isInstanceOfSatisfying(
                        Waiting.Bad.class, read -> assertThat(read.location()).isEqualTo(THERE));
    }
}
