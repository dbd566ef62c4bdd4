package dev.pheromone.mqtt;

import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.MalformedEnvelopeException;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;

/// A copy of an envelope as it lies on the broker.
///
/// @param topic where
/// @param firstSeen when it was sent, by its sender's clock
/// @param office who kept the inbox when its sender looked, and found nothing under its id; empty
///   if that is not known
record Mail(
        String topic,
        Envelope envelope,
        ContentHash fingerprint,
        Instant firstSeen,
        String office) {

    private static final String FIRST_SEEN = "first_seen_at";
    private static final String OFFICE = "office";

    /// How long after its time an envelope stays for somebody to notice and to put it away.
    private static final Duration LINGERS = Duration.ofDays(1);

    /// The most that a message's expiry can be: an unsigned number of four bytes.
    private static final long EXPIRY_SECONDS_MAX = 0xFFFF_FFFFL;

    /// How `envelope` goes to the inbox of `domain`: its bytes as they are, its header once more as
    /// properties for those who only look, and its time on earth as the broker understands it.
    static Post post(Names names, Domain domain, Envelope envelope, Instant now, String office) {
        Duration life = envelope.ttl().duration().plus(LINGERS);
        return Post.kept(
                        names.mail(domain, envelope.id(), envelope.fingerprint()), envelope.bytes())
                .with(properties(envelope, now, office))
                .asking(
                        envelope.correlationId().orElse(envelope.id()).toString(),
                        envelope.replyTo().map(to -> names.mailOf(to.domain())).orElse(""))
                .expiringAfter(Math.clamp(life.toSeconds(), 1, EXPIRY_SECONDS_MAX));
    }

    private static Map<String, String> properties(Envelope envelope, Instant now, String office) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put(FIRST_SEEN, now.toString());
        if (!office.isEmpty()) {
            properties.put(OFFICE, office);
        }
        properties.put("id", envelope.id().toString());
        properties.put("ts", envelope.ts().toString());
        properties.put("from", envelope.from().toString());
        properties.put("lane", envelope.lane().toString());
        properties.put("topic", envelope.topic());
        properties.put("priority", envelope.priority().toString());
        properties.put("ttl", envelope.ttl().toString());
        properties.put("consent", envelope.consent().toString());
        properties.put("hash", envelope.hash().toString());
        envelope.scope().ifPresent(scope -> properties.put("scope", scope));
        if (!envelope.tags().isEmpty()) {
            properties.put("tags", String.join(",", envelope.tags()));
        }
        return properties;
    }

    /// Reads what lies on the broker; only the bytes count.
    static Mail parse(Post post, Instant now) throws MalformedEnvelopeException {
        Envelope envelope = Envelope.parse(post.payload());
        return new Mail(
                post.topic(),
                envelope,
                envelope.fingerprint(),
                firstSeen(post, now),
                post.properties().getOrDefault(OFFICE, ""));
    }

    private static Instant firstSeen(Post post, Instant now) {
        try {
            return Instant.parse(post.properties().getOrDefault(FIRST_SEEN, ""));
        } catch (DateTimeParseException e) {
            return now;
        }
    }

    byte[] bytes() {
        return envelope.bytes();
    }
}
