package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.life.Acceptance;
import dev.pheromone.life.Answer;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.life.Look;
import dev.pheromone.life.MailEvents;
import dev.pheromone.life.Resend;
import dev.pheromone.life.Step;
import dev.pheromone.life.Term;
import dev.pheromone.life.Why;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;
import dev.pheromone.trust.SignatureCheck;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class LifeVectorTest {

    private static final MailEvents EVENTS = new MailEvents(Actor.parse("hive-1"));
    private static final String NONE = "none";

    /// What a case gives beside what it expects.
    private static final List<String> GIVEN =
            List.of(
                    "was",
                    "was_first_seen",
                    "was_failures",
                    "was_not_before",
                    "was_claim",
                    "was_lease_ends_at",
                    "was_closing",
                    "was_why",
                    "was_note",
                    "step",
                    "now",
                    "attempts_max",
                    "likeness",
                    "made",
                    "rationale",
                    "shown",
                    "said",
                    "pause_s",
                    "inbox",
                    "taken_as",
                    "signature");

    @TestFactory
    Stream<DynamicTest> steps() {
        return CaseTests.of("life", vector -> new Case(vector).check());
    }

    @TestFactory
    Stream<DynamicTest> claims() {
        return CaseTests.of("claim", LifeVectorTest::checkClaim);
    }

    private static void checkClaim(Vector vector) {
        String text = vector.text();
        Optional<ClaimToken> found = ClaimToken.find(text);
        assertThat(found.isPresent()).isEqualTo(vector.expectsSuccess());
        if (found.isEmpty()) {
            assertThatIllegalArgumentException().isThrownBy(() -> ClaimToken.parse(text));
            return;
        }
        ClaimToken claim = found.get();
        assertThat(claim).hasToString(text);
        assertThat(ClaimToken.idOf(text)).contains(claim.id());
        CaseTests.assertKeys(
                vector,
                Map.of(
                        "id", claim.id().text(),
                        "attempt", String.valueOf(claim.attempt()),
                        "worker", claim.worker().name(),
                        "claimed_at", claim.claimedAt().toString(),
                        "lease_s", String.valueOf(claim.lease().toSeconds()),
                        "tag", claim.tag(),
                        "attendant", claim.attendant().orElse(NONE)));
    }

    /// One case: a life, and a step in it.
    private static final class Case {

        private final Vector vector;
        private final Envelope envelope;
        private final Domain inbox;
        private final Instant now;
        private final LifeLimits limits;
        private final Map<String, String> found = new LinkedHashMap<>();

        Case(Vector vector) throws MalformedEnvelopeException {
            this.vector = vector;
            envelope = Envelope.parse(vector.content());
            inbox = Domain.parse(vector.find("inbox").orElse("code"));
            now = Instant.parse(vector.get("now"));
            LifeLimits usual = LifeLimits.defaults();
            limits =
                    new LifeLimits(
                            usual.pauseBase(),
                            usual.pauseMax(),
                            vector.find("attempts_max")
                                    .map(Integer::parseInt)
                                    .orElse(usual.attemptsMax()),
                            usual.aheadMax());
        }

        void check() throws MalformedJsonException {
            switch (vector.get("step")) {
                case "begin" -> {
                    found.put("answer", "begun");
                    after(Life.begun(envelope.fingerprint(), now), List.of());
                }
                case "send" -> send();
                case "look" -> look();
                case "claim" -> claim();
                case "renew" -> answer(life().renewed(vector.get("shown"), now));
                case "accept" ->
                        answer(life().accepted(vector.get("shown"), vector.get("said"), now));
                case "done", "fail", "release" ->
                        answer(
                                life().settled(
                                                vector.get("shown"),
                                                outcome(),
                                                Term.of(envelope),
                                                now,
                                                limits));
                case "examine" -> examine();
                case "meet" -> meet();
                default -> throw new IllegalArgumentException("step " + vector.get("step"));
            }
            CaseTests.assertKeys(vector.without(GIVEN.toArray(String[]::new)), found);
        }

        private Life life() {
            State state = State.parse(vector.get("was"));
            return new Life(
                    envelope.fingerprint(),
                    state,
                    Instant.parse(vector.get("was_first_seen")),
                    Integer.parseInt(vector.get("was_failures")),
                    vector.find("was_not_before").map(Instant::parse).orElse(null),
                    vector.find("was_claim").map(this::holder).orElse(null),
                    vector.find("was_why").map(Why::parse).orElse(null),
                    vector.find("was_note").orElse(""));
        }

        private Life.Holder holder(String claim) {
            ClaimToken token = ClaimToken.parse(claim);
            return new Life.Holder(
                    claim,
                    token.worker(),
                    token.lease(),
                    Instant.parse(vector.get("was_lease_ends_at")),
                    vector.find("was_closing").map(Step.Closing::parse).orElse(null));
        }

        private Outcome outcome() {
            String said = vector.get("said");
            return switch (vector.get("step")) {
                case "done" -> new Outcome.Done(said);
                case "fail" -> new Outcome.Failed(said);
                default ->
                        new Outcome.Released(
                                said,
                                Duration.ofSeconds(
                                        Long.parseLong(vector.find("pause_s").orElse("0"))));
            };
        }

        private Resend.Likeness likeness() {
            return vector.get("likeness").equals("same")
                    ? Resend.Likeness.SAME
                    : Resend.Likeness.OTHER;
        }

        private MailEvents.Copy copy(EnvelopeId id) {
            return new MailEvents.Copy(inbox, id, Header.of(envelope));
        }

        private void send() {
            switch (life().sentAgain(likeness(), envelope.id())) {
                case Resend.Anew _ -> found.put("answer", "anew");
                case Resend.Duplicate _ -> found.put("answer", "duplicate");
                case Resend.Conflict(var reason) -> {
                    found.put("answer", "conflict");
                    found.put("reason", reason);
                }
            }
        }

        private void look() throws MalformedJsonException {
            switch (life().look(Term.of(envelope), now, limits)) {
                case Look.Ready _ -> unchanged("ready");
                case Look.Over _ -> unchanged("over");
                case Look.Held(var until) -> {
                    found.put("until", until.toString());
                    unchanged("held");
                }
                case Look.Due(var step) -> took("due", step);
            }
        }

        private void claim() throws MalformedJsonException {
            ClaimToken token = ClaimToken.parse(vector.get("made"));
            Step.Claimed step = life().claimed(token, Lease.unattended(token.lease()));
            Life.Holder holder = Objects.requireNonNull(step.life().holder());
            Claim claim =
                    new Claim(
                            holder.claim(),
                            envelope,
                            inbox,
                            token.worker(),
                            step.life().attempt(),
                            token.claimedAt(),
                            holder.leaseEndsAt(),
                            new SignatureCheck.Unsigned(),
                            vector.get("rationale"),
                            "");
            assertThat(claim.attempt()).isEqualTo(token.attempt());
            found.put("answer", "taken");
            found.put("holder", holder.claim());
            after(step.life(), EVENTS.claimed(claim, step.isFirst()));
        }

        private void answer(Answer answer) throws MalformedJsonException {
            switch (answer) {
                case Answer.Taken(var step) -> took("taken", step);
                case Answer.ToldBefore(var state) -> {
                    assertThat(state).hasToString(vector.get("state"));
                    unchanged("told-before");
                }
                case Answer.Lost(var reason) -> {
                    found.put("reason", reason);
                    unchanged("lost");
                }
            }
        }

        private void examine() throws MalformedJsonException {
            EnvelopeId takenAs =
                    vector.find("taken_as").map(EnvelopeId::parse).orElse(envelope.id());
            SignatureCheck signature =
                    vector.find("signature")
                            .<SignatureCheck>map(SignatureCheck.Bad::new)
                            .orElse(new SignatureCheck.Unsigned());
            List<Acceptance.Objection> objections =
                    Acceptance.objections(
                            takenAs,
                            envelope,
                            life().firstSeen(),
                            signature,
                            inbox,
                            HiveConfig.defaults());
            found.put(
                    "objections",
                    objections.stream()
                            .map(Acceptance.Objection::field)
                            .collect(Collectors.joining(" ")));
            if (objections.isEmpty()) {
                unchanged("accepted");
            } else {
                Step step = life().refused(objections.getFirst());
                found.put("answer", "refused");
                after(step.life(), EVENTS.of(step, copy(takenAs), now));
            }
        }

        private void meet() throws MalformedJsonException {
            @Nullable Why why = life().rules(likeness());
            found.put("answer", why == null ? "free" : "ended");
            found.put("why", why == null ? NONE : why.toString());
            if (why != null) {
                // The life of the second copy, which has just been claimed.
                Step step = Life.begun(envelope.fingerprint(), now).ended(why, why.text());
                after(step.life(), EVENTS.of(step, copy(envelope.id()), now));
            }
        }

        private void took(String answer, Step step) throws MalformedJsonException {
            found.put("answer", answer);
            after(step.life(), EVENTS.of(step, copy(envelope.id()), now));
        }

        private void unchanged(String answer) throws MalformedJsonException {
            found.put("answer", answer);
            after(life(), List.of());
        }

        private void after(Life life, List<RseEvent> events) throws MalformedJsonException {
            assertThat(life.mail()).isEqualTo(envelope.fingerprint());
            Life.Holder holder = life.holder();
            found.put("state", life.state().toString());
            found.put("failures", String.valueOf(life.failures()));
            found.put("not_before", text(life.notBefore()));
            found.put("lease_ends_at", text(holder == null ? null : holder.leaseEndsAt()));
            found.put("closing", text(holder == null ? null : holder.closing()));
            found.put("why", text(life.why()));
            found.put("note", life.note());
            found.put(
                    "events", events.stream().map(RseEvent::type).collect(Collectors.joining(" ")));
            for (int i = 0; i < events.size(); i++) {
                String key = "data_" + (i + 1);
                Optional<String> expected = vector.find(key);
                if (expected.isPresent()) {
                    assertThat(events.get(i).data()).as(key).isEqualTo(Json.parse(expected.get()));
                    found.put(key, expected.get());
                }
            }
        }

        private static String text(@Nullable Object value) {
            return value == null ? NONE : value.toString();
        }
    }
}
