package dev.pheromone.session.passkey;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Assertions as the event log keeps them, so that they can be checked again: each is an event of
/// its own, written before the deed. Other events name it in their proof: `passkey`, the key's id
/// and the nonce.
public final class AssertionRecords {

    /// A person showed a passkey for one deed.
    public static final String TYPE = "person_asserted";

    private static final String PROOF = "passkey";

    /// What tells of a deed that a person may have asserted, and which kind of deed that is.
    private static final Map<String, Set<String>> DEEDS =
            Map.of(
                    "lock_lifted", Set.of(Deed.UNLOCK),
                    "override_given", Set.of(Deed.OVERRIDE),
                    "mute_set", Set.of(Deed.MUTE),
                    "mute_lifted", Set.of(Deed.UNMUTE),
                    "key_trust", Set.of(Deed.TRUST),
                    "key_revoke", Set.of(Deed.REVOKE));

    /// What a question has come to; its proof names no nonce, since the next who looks tells it.
    private static final String ANSWERED = "question_answered";

    /// Deeds that speak of an envelope, which their target names.
    private static final Set<String> ABOUT_MAIL = Set.of(Deed.ANSWER, Deed.END);

    /// A deed may wait for those who are at work.
    private static final Duration DEED_TIME = Duration.ofMinutes(15);

    /// What a log line has room for, beside the assertion.
    private static final int CONTENT_CHARS_MAX = 4_096;

    private AssertionRecords() {}

    /// What the proof of a deed says of an assertion.
    public static String proof(Passkey passkey, Assertion shown) {
        return PROOF + " " + passkey.kid() + " " + shown.nonce();
    }

    /// Fails if the log could not keep the assertion of `deed` whole.
    public static void checkLength(Deed deed) throws RefusedException {
        int length = deed.content().toString().length() + deed.target().length();
        if (length > CONTENT_CHARS_MAX) {
            throw new RefusedException(
                    "found %d characters to confirm, expected at most %d"
                            .formatted(length, CONTENT_CHARS_MAX));
        }
    }

    /// Whether `passkey` vouches for `challenge` now.
    ///
    /// @param count how often it had signed before
    /// @return how often it has signed now
    public static long check(
            Assertion shown, Passkey passkey, Challenge challenge, String origin, long count)
            throws RefusedException {
        return WebAuthn.check(shown, passkey, challenge.bytes(), origin, count);
    }

    /// The event that keeps an assertion.
    public static RseEvent event(
            Deed deed,
            Challenge challenge,
            Passkey passkey,
            Assertion shown,
            String origin,
            Instant now) {
        Json.Obj data =
                Json.obj()
                        .put("kind", challenge.kind())
                        .put("target", challenge.target())
                        .put("content", deed.content())
                        .put("hive", challenge.hive())
                        .put("expires", IsoTime.format(challenge.expires()))
                        .put("origin", origin)
                        .put("kid", passkey.kid().name())
                        .put("by", passkey.actor().name());
        if (ABOUT_MAIL.contains(deed.kind())) {
            data =
                    data.put("id", deed.target())
                            .putIfPresent("consent", deed.content().optionalText("consent"));
        }
        return new RseEvent.Other(
                now, TYPE, Lane.GOVERNANCE, passkey.actor().name(), shown.addTo(data));
    }

    /// The answers to `question` that people gave by a passkey, as `log` tells.
    public static Answers answers(RseLog log, TrustList trust, String question) throws IOException {
        return new Answers(
                question,
                trust,
                read(log, RseScope.ALL.about(Set.of(question)).ofTypes(Set.of(TYPE))));
    }

    /// The answers to `question` that people gave by a passkey.
    ///
    /// @param asserted the assertions about it, which anybody may have written
    public record Answers(String question, TrustList trust, List<RseEvent> asserted) {

        public Answers {
            asserted = List.copyOf(asserted);
        }

        /// Whether `mail` is such an answer: a passkey of its sender vouches for all that counts.
        public boolean has(Envelope mail) {
            Deed deed = Deed.answer(question, mail);
            return asserted.stream()
                    .anyMatch(event ->
                            isOf(event.data(), deed)
                                    && is(event.data(), "by", mail.from().name())
                                    && isProof(event));
        }

        private boolean isProof(RseEvent event) {
            try {
                long _ = verify(event, trust, 0);
                return true;
            } catch (RefusedException | IllegalArgumentException e) {
                return false;
            }
        }
    }

    private static boolean isOf(Json.Obj asserted, Deed deed) {
        return is(asserted, "kind", deed.kind())
                && is(asserted, "target", deed.target())
                && asserted.get("content").filter(deed.content()::equals).isPresent();
    }

    private static boolean is(Json.Obj data, String field, String expected) {
        return data.optionalText(field).filter(expected::equals).isPresent();
    }

    /// Checks the assertion of `event` once more.
    ///
    /// @param before how often its passkey had signed
    /// @return how often it has signed then
    private static long verify(RseEvent event, TrustList trust, long before)
            throws RefusedException {
        Json.Obj data = event.data();
        Assertion shown = Assertion.parse(data);
        Instant expires = IsoTime.parse(text(data, "expires"));
        if (!(data.get("content").orElse(null) instanceof Json.Obj content)) {
            throw new RefusedException("content: expected an object");
        }
        Challenge challenge =
                new Challenge(
                        text(data, "kind"),
                        text(data, "target"),
                        Deed.hash(content).toString(),
                        text(data, "hive"),
                        shown.nonce(),
                        expires);
        KeyId kid = KeyId.parse(text(data, "kid"));
        Passkey passkey =
                trust.passkey(kid)
                        .orElseThrow(() ->
                                new RefusedException("this hive has trusted no passkey " + kid));
        Actor by = Actor.parse(text(data, "by"));
        if (!passkey.actor().equals(by)) {
            throw new RefusedException(kid + " is not " + by + "'s");
        }
        if (event.ts().isAfter(expires) || event.ts().isBefore(expires.minus(Challenges.TIME))) {
            throw new RefusedException("it was written at another time than it was good for");
        }
        if (!passkey.isLive(event.ts())) {
            throw new RefusedException("passkey " + kid + " was revoked by then");
        }
        String origin = text(data, "origin");
        if (!origin.matches("http://" + Page.RP_ID + ":[0-9]{1,5}")) {
            throw new RefusedException("origin: found \"" + origin + "\", expected a board's");
        }
        return WebAuthn.check(shown, passkey, challenge.bytes(), origin, before);
    }

    private static String text(Json.Obj data, String field) throws RefusedException {
        return data.optionalText(field)
                .orElseThrow(() -> new RefusedException(field + " is missing"));
    }

    private static List<RseEvent> read(RseLog log, RseScope scope) throws IOException {
        List<RseEvent> events = new ArrayList<>();
        try (RseReading reading = log.read(Cursor.START, scope)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read read
                        && scope.types().contains(read.event().type())) {
                    events.add(read.event());
                }
            }
        }
        return events;
    }

    /// Checks all assertions that `log` keeps once more, and that deeds are what was asserted.
    ///
    /// @param kept events that a lock kept from the log so far
    /// @param hive which hive it is
    /// @param name of the log, for findings
    public static List<Finding> audit(
            RseLog log, List<RseEvent> kept, TrustList trust, String hive, String name)
            throws IOException {
        Set<String> types = new HashSet<>(DEEDS.keySet());
        types.add(TYPE);
        types.add(ANSWERED);
        List<RseEvent> events = read(log, RseScope.ALL.ofTypes(types));
        kept.stream().filter(event -> types.contains(event.type())).forEach(events::add);
        Check check = new Check(trust, hive, name);
        events.stream()
                .filter(event -> event.type().equals(TYPE))
                .sorted(Comparator.comparing(RseEvent::ts))
                .forEach(check::assertion);
        events.stream().filter(event -> !event.type().equals(TYPE)).forEach(check::deed);
        return check.findings;
    }

    private static final class Check {

        private final TrustList trust;
        private final String hive;
        private final String name;
        private final Map<String, RseEvent> byNonce = new HashMap<>();
        private final Map<KeyId, Long> counts = new HashMap<>();
        private final List<Finding> findings = new ArrayList<>();

        Check(TrustList trust, String hive, String name) {
            this.trust = trust;
            this.hive = hive;
            this.name = name;
        }

        void assertion(RseEvent event) {
            String nonce = event.data().optionalText("nonce").orElse("");
            RseEvent earlier = byNonce.putIfAbsent(nonce, event);
            if (earlier != null) {
                if (!earlier.equals(event)) {
                    violation(
                            event,
                            "the assertion of " + earlier.ts() + " once more",
                            "each assertion once");
                }
                return;
            }
            try {
                verify(event);
            } catch (RefusedException | IllegalArgumentException e) {
                violation(
                        event,
                        "an assertion that proves nothing: " + e.getMessage(),
                        "what a person's passkey signed");
            }
        }

        private void verify(RseEvent event) throws RefusedException {
            KeyId kid = KeyId.parse(text(event.data(), "kid"));
            long before = counts.getOrDefault(kid, 0L);
            counts.put(kid, AssertionRecords.verify(event, trust, before));
            if (!is(event.data(), "hive", hive)) {
                findings.add(
                        new Finding(
                                Finding.Severity.WARNING,
                                thing(event),
                                "an assertion for a hive at another place",
                                "this one, unless it was moved",
                                null));
            }
        }

        /// Who answered, and by which mail, is asserted in the words of the event.
        private void answered(RseEvent event) {
            Json.Obj data = event.data();
            boolean isAsserted =
                    byNonce.values().stream()
                            .map(RseEvent::data)
                            .anyMatch(asserted ->
                                    is(asserted, "kind", Deed.ANSWER)
                                            && is(asserted, "by", event.actor())
                                            && asserted.get("target").equals(data.get("id"))
                                            && asserted.get("content").orElse(null)
                                                    instanceof Json.Obj content
                                            && content.get("mail").equals(data.get("answer_id")));
            if (!isAsserted) {
                violation(
                        event,
                        "an answer whose assertion is missing",
                        "one of " + event.actor() + "'s passkey");
            }
        }

        void deed(RseEvent event) {
            String proof = event.data().optionalText("proof").orElse("");
            if (event.type().equals(ANSWERED)) {
                if (proof.equals(PROOF)) {
                    answered(event);
                }
                return;
            }
            if (!proof.startsWith(PROOF + " ")) {
                return;
            }
            String[] words = proof.split(" ", -1);
            RseEvent asserted = words.length == 3 ? byNonce.get(words[2]) : null;
            if (asserted == null) {
                violation(
                        event,
                        "a deed whose assertion is missing",
                        "the one that " + proof + " names");
                return;
            }
            String difference = difference(event, asserted, words[1]);
            if (difference != null) {
                violation(event, "another deed than was asserted: " + difference, proof);
            }
        }

        private static @Nullable String difference(RseEvent deed, RseEvent asserted, String kid) {
            Json.Obj data = asserted.data();
            String kind = data.optionalText("kind").orElse("");
            if (!data.optionalText("kid").filter(kid::equals).isPresent()) {
                return "another passkey";
            }
            if (!DEEDS.getOrDefault(deed.type(), Set.of()).contains(kind)) {
                return deed.type() + " for " + kind;
            }
            if (deed.ts().isBefore(asserted.ts())
                    || deed.ts().isAfter(asserted.ts().plus(DEED_TIME))) {
                return "at " + deed.ts() + " for " + asserted.ts();
            }
            if (!data.get("by").equals(deed.data().get("by"))) {
                return "by " + deed.data().get("by").orElse(Json.Null.NULL);
            }
            if (data.get("content").orElse(null) instanceof Json.Obj content) {
                for (String field : content.names()) {
                    Json found = deed.data().get(field).orElse(null);
                    Json expected = content.get(field).orElse(null);
                    if (found != null && !found.equals(expected)) {
                        return field + " " + found + " for " + expected;
                    }
                }
            }
            return null;
        }

        private void violation(RseEvent event, String found, String expected) {
            findings.add(new Finding(Finding.Severity.ERROR, thing(event), found, expected, null));
        }

        private String thing(RseEvent event) {
            return name + ", " + event.type() + " of " + event.ts();
        }
    }
}
