package dev.pheromone;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What an inbox asks of a well-formed envelope before anybody gets it: that the hash is the
/// body's, that it is addressed there, that it is not dated too far ahead, and that its signature
/// holds. Mail that does not meet this is dead.
public final class Acceptance {

    private Acceptance() {}

    /// One thing that speaks against an envelope.
    ///
    /// @param field the header's field that it is about
    public record Objection(String field, String reason) {

        /// The reason as it is kept with dead mail.
        @Override
        public String toString() {
            return switch (field) {
                case "to" -> "misaddressed: " + reason;
                case "sig" -> "signature: " + reason;
                default -> field + ": " + reason;
            };
        }
    }

    /// The objection to an envelope whose hash is not the body's.
    public static final Objection WRONG_HASH = new Objection("hash", "it doesn't match the body");

    /// All that speaks against `envelope` wherever it arrives, in the order in which it counts.
    public static List<Objection> objections(
            Envelope envelope, Instant firstSeen, SignatureCheck signature) {
        return objections(envelope, true, "", firstSeen, signature);
    }

    /// As [#objections(Envelope, Instant, SignatureCheck)], and that it is meant for `inbox`.
    public static List<Objection> objections(
            Envelope envelope,
            Instant firstSeen,
            SignatureCheck signature,
            Domain inbox,
            HiveConfig config) {
        return objections(
                envelope,
                config.isAddressed(envelope.to(), inbox),
                "nobody in \"to\" is " + inbox.address(),
                firstSeen,
                signature);
    }

    private static List<Objection> objections(
            Envelope envelope,
            boolean isAddressed,
            String otherwise,
            Instant firstSeen,
            SignatureCheck signature) {
        List<Objection> objections = new ArrayList<>();
        if (!envelope.hashMatches()) {
            objections.add(WRONG_HASH);
        }
        if (!isAddressed) {
            objections.add(new Objection("to", otherwise));
        }
        if (isTooFarAhead(envelope.ts(), firstSeen)) {
            objections.add(
                    new Objection("ts", "found " + envelope.ts() + ", more than a day ahead"));
        }
        if (signature instanceof SignatureCheck.Bad(var reason)) {
            objections.add(new Objection("sig", reason));
        }
        return objections;
    }

    /// Whether mail with this `ts` is refused by whoever sees it at `firstSeen`: no clock is that
    /// wrong.
    public static boolean isTooFarAhead(Instant ts, Instant firstSeen) {
        return ts.isAfter(firstSeen.plus(Urgency.AHEAD_MAX));
    }
}
