package dev.pheromone.life;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.trust.SignatureCheck;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What an inbox asks of a well-formed envelope before anybody gets it, in this order: that its id
/// is the one it was taken by, that the hash is the body's, that it is addressed there, that it is
/// not dated too far ahead, and that its signature holds. Mail that does not meet this is dead.
public final class Acceptance {

    private Acceptance() {}

    /// One thing that speaks against an envelope.
    public record Objection(Why why, String text) {

        private static Objection of(Why why, Object... details) {
            return new Objection(why, why.text(details));
        }

        /// The header's field that it is about.
        public String field() {
            return switch (why) {
                case WRONG_ID -> "id";
                case WRONG_HASH -> "hash";
                case MISADDRESSED -> "to";
                case DATED_AHEAD -> "ts";
                case BAD_SIGNATURE -> "sig";
                default -> throw new IllegalStateException(why + " is about no field");
            };
        }

        /// Whether the envelope is not what its id and hash say, so that nothing that is known of
        /// that mail is about this one.
        public boolean isAboutIdentity() {
            return why == Why.WRONG_ID || why == Why.WRONG_HASH;
        }

        /// The reason for whoever names the field already.
        public String reason() {
            return text.substring(text.indexOf(": ") + 2);
        }

        /// The reason as it is kept with dead mail.
        @Override
        public String toString() {
            return text;
        }
    }

    /// The objection to an envelope whose hash is not the body's.
    public static final Objection WRONG_HASH = Objection.of(Why.WRONG_HASH);

    /// All that speaks against `envelope` wherever it arrives, in the order in which it counts.
    public static List<Objection> objections(
            Envelope envelope, Instant firstSeen, SignatureCheck signature) {
        List<Objection> objections = new ArrayList<>();
        addContent(objections, envelope);
        addProof(objections, envelope, firstSeen, signature, LifeLimits.defaults());
        return objections;
    }

    /// As [#objections(Envelope, Instant, SignatureCheck)], and that it is meant for `inbox`.
    public static List<Objection> objections(
            Envelope envelope,
            Instant firstSeen,
            SignatureCheck signature,
            Domain inbox,
            HiveConfig config) {
        return objections(envelope.id(), envelope, firstSeen, signature, inbox, config);
    }

    /// As above, and that it has the id by which it was taken.
    ///
    /// @param takenAs the id that its sender gave the copy, or that its claim names
    public static List<Objection> objections(
            EnvelopeId takenAs,
            Envelope envelope,
            Instant firstSeen,
            SignatureCheck signature,
            Domain inbox,
            HiveConfig config) {
        List<Objection> objections = new ArrayList<>();
        if (!envelope.id().equals(takenAs)) {
            objections.add(Objection.of(Why.WRONG_ID, envelope.id(), takenAs));
        }
        addContent(objections, envelope);
        if (!config.isAddressed(envelope.to(), inbox)) {
            objections.add(Objection.of(Why.MISADDRESSED, inbox.address()));
        }
        addProof(objections, envelope, firstSeen, signature, LifeLimits.of(config));
        return objections;
    }

    private static void addContent(List<Objection> objections, Envelope envelope) {
        if (!envelope.hashMatches()) {
            objections.add(WRONG_HASH);
        }
    }

    private static void addProof(
            List<Objection> objections,
            Envelope envelope,
            Instant firstSeen,
            SignatureCheck signature,
            LifeLimits limits) {
        if (limits.isTooFarAhead(envelope.ts(), firstSeen)) {
            objections.add(Objection.of(Why.DATED_AHEAD, envelope.ts()));
        }
        if (signature instanceof SignatureCheck.Bad(var reason)) {
            objections.add(Objection.of(Why.BAD_SIGNATURE, reason));
        }
    }
}
