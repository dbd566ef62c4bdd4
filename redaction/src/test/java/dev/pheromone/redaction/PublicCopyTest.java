package dev.pheromone.redaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Attachment;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.TraceParent;
import dev.pheromone.envelope.Ttl;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;

class PublicCopyTest {

    private static final Instant SENT = Instant.parse("2026-03-01T10:00:00Z");
    private static final Instant NOW = Instant.parse("2026-03-02T10:00:00Z");
    private static final Actor ADA = Actor.parse("ada");
    private static final Actor CI = Actor.parse("ci");
    private static final List<Address> CODE = List.of(Address.parse("queen://code"));
    private static final ContentHash HASH = ContentHash.of(new byte[0]);

    private final Redactor redactor =
            new Redactor(
                    Rules.builtIn(),
                    new PrivateWords(List.of("ada"), List.of("plan.md"), List.of()));

    private static EnvelopeDraft mail() {
        return Envelope.draft(CI, CODE, Lane.CODE, "the parser")
                .ts(SENT)
                .priority(Priority.P1)
                .ttl(Ttl.parse("2h"))
                .body("It is slow.\n");
    }

    private Envelope copy(Envelope original) throws UnmarkableFieldException {
        return PublicCopy.of(original, redactor).draft(CI, original.to(), NOW).seal();
    }

    @Test
    void isANewEnvelopeThatRefersToTheOriginal() throws UnmarkableFieldException {
        Envelope original = mail().seal();
        byte[] before = original.bytes();
        Envelope copy = copy(original);

        assertThat(copy.id()).isNotEqualTo(original.id());
        assertThat(copy.correlationId()).contains(original.id());
        assertThat(copy.consent()).isEqualTo(Consent.PUBLIC);
        assertThat(copy.ts()).isEqualTo(NOW);
        assertThat(copy.hashMatches()).isTrue();
        assertThat(copy.bodyText()).isEqualTo("It is slow.\n");
        assertThat(copy.topic()).isEqualTo("the parser");
        assertThat(copy.lane()).isEqualTo(Lane.CODE);
        assertThat(copy.priority()).isEqualTo(Priority.P1);
        assertThat(copy.ttl()).isEqualTo(Ttl.parse("2h"));
        assertThat(original.bytes()).isEqualTo(before);
    }

    @Test
    void hasMarksInTheBodyAndInTheTextsOfTheHeader() throws UnmarkableFieldException {
        Envelope original =
                mail("call ada")
                        .scope("/home/grace/src")
                        .tags(List.of("choice:ask ada", "fine"))
                        .body("grace knows; ada@engines.org too\n")
                        .seal();
        PublicCopy redacted = PublicCopy.of(original, redactor);
        Envelope copy = redacted.draft(CI, CODE, NOW).seal();

        assertThat(copy.topic()).isEqualTo("call [REDACTED:user]");
        assertThat(copy.scope()).contains("[REDACTED:home-path]/src");
        assertThat(copy.tags()).containsExactly("choice:ask [REDACTED:user]", "fine");
        assertThat(copy.bodyText()).isEqualTo("[REDACTED:user] knows; [REDACTED:email] too\n");
        assertThat(copy.hashMatches()).isTrue();
        assertThat(redacted.counts()).isEqualTo(Map.of("email", 1, "home-path", 1, "user", 3));
        assertThat(redacted.findings().keySet()).containsExactly("topic", "scope", "tags", "body");
        assertThat(PublicCopy.of(copy, redactor).isClean()).isTrue();
        assertThat(redacted.toString()).doesNotContain("ada").doesNotContain("grace");
    }

    private static EnvelopeDraft mail(String topic) {
        return Envelope.draft(CI, CODE, Lane.CODE, topic).ts(SENT);
    }

    @Test
    void showsWhatChangesFieldByField() {
        Envelope original =
                mail("call ada")
                        .attachments(List.of(new Attachment("notes/plan.md", HASH)))
                        .body("fine\nada\n")
                        .seal();
        assertThat(PublicCopy.of(original, redactor).diff())
                .isEqualTo(
                        """
                        @@ header @@
                        -topic: call ada
                        +topic: call [REDACTED:user]
                        -attachments: notes/plan.md
                        @@ -1,2 +1,2 @@
                         fine
                        -ada
                        +[REDACTED:user]
                        """);
        assertThat(PublicCopy.of(mail().seal(), redactor).diff()).isEmpty();
    }

    @Test
    void losesAttachmentsWhosePathTells() throws UnmarkableFieldException {
        Attachment fine = new Attachment("report.md", HASH);
        Envelope original =
                mail().attachments(
                                List.of(
                                        new Attachment("/home/grace/x.md", HASH),
                                        fine,
                                        new Attachment("plan.md", HASH)))
                        .seal();
        assertThat(copy(original).attachments()).containsExactly(fine);
    }

    @Test
    void leavesOutWhatNobodyElseNeeds() throws Exception {
        Envelope original =
                mail().replyTo(Address.parse("user://ada"))
                        .traceparent(
                                TraceParent.parse(
                                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
                        .seal();
        String withExtra =
                new String(original.bytes(), StandardCharsets.UTF_8)
                        .replace("\nhash:", "\nmood: ada is cross\nhash:");
        Envelope copy = copy(Envelope.parse(withExtra.getBytes(StandardCharsets.UTF_8)));
        assertThat(copy.replyTo()).isEmpty();
        assertThat(copy.traceparent()).isEmpty();
        assertThat(copy.extra()).isEmpty();
    }

    @Test
    void isRefusedWhereAnAddressOrLaneWouldNeedAMark() {
        PublicCopy copy = PublicCopy.of(mail().seal(), redactor);
        List<Address> withPerson = List.of(CODE.getFirst(), Address.parse("user://ada"));
        assertThatThrownBy(() -> copy.draft(CI, withPerson, NOW))
                .isInstanceOf(UnmarkableFieldException.class)
                .hasMessage(
                        "to: recipient 2 of 2 holds user, which must not become public, and an"
                                + " address can't take a mark; expected another recipient");

        Envelope odd = Envelope.draft(CI, CODE, Lane.parse("ada"), "x").ts(SENT).seal();
        assertThatThrownBy(() -> PublicCopy.of(odd, redactor).draft(CI, CODE, NOW))
                .isInstanceOf(UnmarkableFieldException.class)
                .hasMessageStartingWith("lane: it holds user");
    }

    @Test
    void isPublishedUnderTheNameOfWhoeverSignsIt() throws UnmarkableFieldException {
        Envelope copy = PublicCopy.of(mail().seal(), redactor).draft(ADA, CODE, NOW).seal();
        assertThat(copy.from()).isEqualTo(ADA);
    }

    @Test
    void keepsTheTopicWithinItsLimit() throws UnmarkableFieldException {
        Envelope copy = copy(mail("ada, ".repeat(50) + "ada").seal());
        assertThat(copy.topic().length()).isLessThanOrEqualTo(256);
        assertThat(copy.topic()).endsWith("[REDACTED:user],…");
    }

    @Test
    void keepsBytesThatNeedNoMark() throws UnmarkableFieldException {
        Envelope original = mail().body("Grüße\r\n\uFEFF".getBytes(StandardCharsets.UTF_8)).seal();
        assertThat(copy(original).body()).isEqualTo(original.body());
    }

    @Test
    void hasNoBytesThatAreNoText() throws UnmarkableFieldException {
        Envelope original = mail().body(new byte[] {'a', (byte) 0xFF, 'b'}).seal();
        assertThat(copy(original).bodyText()).isEqualTo("a\uFFFDb");
    }
}
