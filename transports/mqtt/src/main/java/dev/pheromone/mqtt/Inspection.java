package dev.pheromone.mqtt;

import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.SignatureCheck;
import dev.pheromone.Urgency;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/// What makes mail acceptable in an inbox, and urgent: no broker in it, and nothing that changes.
final class Inspection {

    private final MqttOptions options;
    private final Names names;
    private final Domain domain;

    Inspection(MqttOptions options, Names names, Domain domain) {
        this.options = options;
        this.names = names;
        this.domain = domain;
    }

    /// Why `mail` can't be delivered, or null if it can, its signature aside.
    @Nullable String problem(Mail mail) {
        Envelope envelope = mail.envelope();
        if (!mail.topic().equals(names.mail(domain, envelope.id(), mail.fingerprint()))) {
            return "lies under a topic that is not its own";
        }
        if (!envelope.hashMatches()) {
            return "the hash is not the body's";
        }
        return options.config().isAddressed(envelope.to(), domain)
                ? null
                : "no address leads to " + domain.address();
    }

    SignatureCheck signature(Envelope envelope, Instant now) {
        return options.trust().check(envelope, now, options.config().signatures());
    }

    Urgency urgency(Envelope envelope, MailRecord record) {
        Duration ttl = envelope.ttl().duration();
        return new Urgency(
                envelope.id(),
                envelope.priority(),
                envelope.ts(),
                record.firstSeen(),
                ttl,
                options.config().halfLife().of(ttl),
                record.failures(),
                record.notBefore());
    }

    int attemptsMax() {
        return options.config().attempts();
    }

    Urgency.Turn turn(long pick) {
        return Urgency.Turn.of(pick, options.config().dueTurn());
    }
}
