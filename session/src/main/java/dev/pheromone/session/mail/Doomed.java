package dev.pheromone.session.mail;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.IsoTime;
import dev.pheromone.trust.SignatureCheck;

import java.time.Instant;

/// Mail that nobody would ever get, because every inbox refuses it: it is not sent at all, for
/// "sent" would be a lie.
public final class Doomed {

    private Doomed() {}

    /// Fails if `envelope` could only die.
    public static void refuse(Envelope envelope, OpenHive hive, Instant now) {
        refuseBadHash(envelope);
        refuseWrongTime(envelope, now);
        if (!hive.transport().isWithheld()) {
            // Under a lock nobody knows whom the hive will trust when the mail is released.
            refuseBadSignature(envelope, hive);
        }
    }

    private static void refuseBadHash(Envelope envelope) {
        if (!envelope.hashMatches()) {
            throw new ProblemException(
                            Code.BAD_MAIL,
                            "hash doesn't match the body of envelope "
                                    + envelope.id()
                                    + "; nothing was sent")
                    .hint("without a line hash: it is filled in");
        }
    }

    private static void refuseWrongTime(Envelope envelope, Instant now) {
        String sent = "ts: found " + IsoTime.format(envelope.ts());
        if (!now.isBefore(envelope.expiresAt())) {
            throw new ProblemException(
                            Code.USAGE,
                            sent
                                    + " with ttl "
                                    + envelope.ttl()
                                    + ", which expired at "
                                    + IsoTime.format(envelope.expiresAt())
                                    + "; nothing was sent")
                    .hint("without a line ts: it is sent as of now");
        }
        if (LifeLimits.defaults().isTooFarAhead(envelope.ts(), now)) {
            throw new ProblemException(
                            Code.USAGE, sent + ", expected at most a day ahead; nothing was sent")
                    .hint("without a line ts: it is sent as of now");
        }
    }

    private static void refuseBadSignature(Envelope envelope, OpenHive hive) {
        if (hive.checkSignature(envelope) instanceof SignatureCheck.Bad(var reason)) {
            ProblemException bad =
                    new ProblemException(
                            Code.BAD_MAIL, "signature: " + reason + "; nothing was sent");
            KeyId kid = envelope.kid().orElse(null);
            if (kid != null && hive.trust().find(kid).isEmpty()) {
                bad.hint("if it is whose it says, a person can have it trusted:")
                        .fix("rsm keys trust " + kid);
            }
            throw bad;
        }
    }
}
