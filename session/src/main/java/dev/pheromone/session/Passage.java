package dev.pheromone.session;

import dev.pheromone.PublicCheck;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Header;
import dev.pheromone.life.Acceptance;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;

/// Decides which mail of a hive may be shown to those whom a server reaches: none beyond its
/// sender's consent. Where the public reaches the server, mail is looked through once more before
/// it is shown, because anybody who can write to an inbox may have put it there.
///
/// @param publicCheck looks through public mail
record Passage(Caller caller, OpenHive hive, PublicCheck publicCheck, Reach reach) {

    /// Whether the consent goes as far as the server does.
    boolean isWithinConsent(Waiting waiting) {
        return !(waiting instanceof Waiting.Mail mail) || mail.header().consent().allows(reach);
    }

    /// Whether `waiting`, a file in `inbox`, may be shown.
    boolean allows(Domain inbox, Waiting waiting) throws IOException {
        if (!isWithinConsent(waiting)) {
            return false;
        }
        if (!(waiting instanceof Waiting.Mail mail) || reach != Reach.PUBLIC) {
            return true;
        }
        Transport.Found found = hive.transport().find(mail.header().id(), inbox).orElse(null);
        // Another file may have the same id: what was found must be what is shown.
        return found != null && Header.of(found.envelope()).equals(mail.header()) && allows(found);
    }

    /// Whether a copy may be shown, wherever it is in its life.
    boolean allows(Transport.Found found) throws IOException {
        Envelope envelope = found.envelope();
        return allows(envelope)
                && (reach != Reach.PUBLIC
                        || Acceptance.objections(
                                        envelope,
                                        caller.now(),
                                        hive.checkSignature(envelope),
                                        found.inbox(),
                                        hive.config())
                                .isEmpty());
    }

    /// Whether an envelope that its inbox has accepted may be shown.
    boolean allows(Envelope envelope) throws IOException {
        return envelope.consent().allows(reach)
                && (reach != Reach.PUBLIC || publicCheck.refusal(envelope).isEmpty());
    }
}
