package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.life.Answer;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.life.Look;
import dev.pheromone.life.Term;
import dev.pheromone.life.Why;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// What a record keeps of a life, and what is read of records that version 0.1 wrote.
class MailRecordTest {

    private static final Instant NOW = Instant.parse("2025-11-03T12:00:00.123456Z");
    private static final String ID = "01K7N3Q8ZR4D6T2W9XAVHB5Y0A";
    private static final String MAIL = "sha256:" + "ab".repeat(32);
    private static final String OLD_CLAIM = ID + ".2.ada.0011223344556677";
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(1));
    private static final LifeLimits LIMITS = LifeLimits.defaults();
    private static final Term TERM = new Term(NOW, Ttl.parse("1d"));

    private static Life claimed() {
        ClaimToken claim =
                new ClaimToken(
                        EnvelopeId.parse(ID),
                        1,
                        Actor.parse("ada"),
                        NOW,
                        LEASE.duration(),
                        "0011223344556677");
        return Life.begun(ContentHash.parse(MAIL), NOW).claimed(claim, LEASE).life();
    }

    private static Life settled(Outcome outcome, Instant now) {
        Life life = claimed();
        String claim = Objects.requireNonNull(life.holder()).claim();
        return life.settled(claim, outcome, TERM, now, LIMITS) instanceof Answer.Taken(var step)
                ? step.life()
                : life;
    }

    @Test
    void everyLifeIsReadAsItWasWritten() throws IOException {
        List<Life> lives = new ArrayList<>();
        lives.add(Life.begun(ContentHash.parse(MAIL), NOW));
        lives.add(claimed());
        lives.add(settled(new Outcome.Done("merged"), NOW));
        lives.add(settled(new Outcome.Failed("red"), NOW));
        lives.add(settled(new Outcome.Failed(""), NOW.plus(Duration.ofDays(2))));
        lives.add(settled(new Outcome.Released("not mine", Duration.ofSeconds(90)), NOW));
        lives.add(Life.begun(ContentHash.parse(MAIL), NOW).ended(Why.WRONG_HASH, "").life());
        Instant later = NOW.plus(Duration.ofMinutes(2));
        if (claimed().look(TERM, later, LIMITS) instanceof Look.Due(var step)) {
            lives.add(step.life());
        }
        assertThat(lives).hasSize(8);
        for (Life life : lives) {
            MailRecord record =
                    new MailRecord(life, 7, life.holder() == null ? "" : "$JS.ACK.mail.1");
            assertThat(MailRecord.parse(record.bytes())).isEqualTo(record);
        }
    }

    @Test
    void aClaimOfVersion01CanBeSettledHere() throws IOException {
        Life life = old("active", 1, "", claim("2025-11-03T12:01:00Z")).life();

        assertThat(life.attempt()).isEqualTo(2);
        assertThat(life.settled(OLD_CLAIM, new Outcome.Failed("red"), TERM, NOW, LIMITS))
                .isInstanceOf(Answer.Taken.class);
    }

    @Test
    void howClaimsOfVersion01EndedIsKnown() throws IOException {
        String claim = claim("2025-11-03T12:01:00Z");
        Outcome failed = new Outcome.Failed("red");
        Outcome released = new Outcome.Released("");

        assertThat(told(old("waiting", 2, "red", claim), failed)).isTrue();
        assertThat(told(old("waiting", 2, "red", claim), released)).isFalse();
        assertThat(told(old("waiting", 1, "", claim), released)).isTrue();
        assertThat(told(old("waiting", 1, "", claim), failed)).isFalse();
        assertThat(told(old("waiting", 2, "the lease of ada ended", claim), failed)).isFalse();
        assertThat(told(old("dead", 2, "red", claim), failed)).isTrue();
        assertThat(told(old("done", 1, "", claim), new Outcome.Done(""))).isTrue();
    }

    @Test
    void whatVersion01RefusedOrLetExpireLeavesItsIdFree() throws IOException {
        assertThat(old("dead", 0, "dated a day ahead", "").life().why()).isEqualTo(Why.DATED_AHEAD);
        assertThat(old("expired", 0, "expired", "").life().why()).isEqualTo(Why.EXPIRED);
        assertThat(old("dead", 5, "red", claim("2025-11-03T12:01:00Z")).life().why())
                .isEqualTo(Why.ATTEMPTS);
    }

    /// Version 0.1 looks for the fields that it knows, and tells a lost lease by the note.
    @Test
    void version01FindsWhatItLooksFor() {
        Instant later = NOW.plus(Duration.ofMinutes(2));
        Life lost =
                claimed().look(TERM, later, LIMITS) instanceof Look.Due(var step)
                        ? step.life()
                        : claimed();
        String written = new String(new MailRecord(lost, 7, "ack").bytes(), StandardCharsets.UTF_8);

        assertThat(lost.state()).isEqualTo(State.WAITING);
        assertThat(written)
                .contains(
                        "\"mail\":\"" + MAIL + "\"",
                        "\"state\":\"waiting\"",
                        "\"first_seen_at\":\"2025-11-03T12:00:00.123456Z\"",
                        "\"failures\":1",
                        "\"not_before_at\":\"2025-11-03T12:02:10.123456Z\"",
                        "\"sequence\":7",
                        "\"note\":\"the lease of ada ended\"",
                        "\"token\":\"" + ID + ".1.ada.",
                        "\"worker\":\"ada\"",
                        "\"lease_ms\":60000",
                        "\"ends_at\":\"2025-11-03T12:01:00.123Z\"",
                        "\"ack\":\"ack\"");
    }

    @Test
    void whatIsNoRecordIsRefused() {
        assertThatIOException().isThrownBy(() -> old("asleep", 0, "", ""));
        assertThatIOException().isThrownBy(() -> old("active", 0, "", ""));
    }

    private static boolean told(MailRecord record, Outcome outcome) {
        return record.life().settled(OLD_CLAIM, outcome, TERM, NOW, LIMITS)
                instanceof Answer.ToldBefore;
    }

    private static String claim(String endsAt) {
        return ",\"claim\":{\"token\":\""
                + OLD_CLAIM
                + "\",\"worker\":\"ada\",\"lease_ms\":60000,\"ends_at\":\""
                + endsAt
                + "\",\"ack\":\"$JS.ACK\"}";
    }

    /// A record as version 0.1 wrote it.
    private static MailRecord old(String state, int failures, String note, String claim)
            throws IOException {
        String json =
                "{\"mail\":\"%s\",\"state\":\"%s\",\"first_seen_at\":\"%s\",\"failures\":%d,\"sequence\":3,\"note\":\"%s\"%s}"
                        .formatted(MAIL, state, NOW, failures, note, claim);
        return MailRecord.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
