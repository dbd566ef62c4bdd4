package dev.pheromone.file;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Envelopes that anybody can tell from the id alone, so that a worker knows a half-read one, and a
/// producer that died can send the same again.
final class StormMail {

    private static final int SHORT_BODY_MAX = 2_000;
    private static final int LONG_BODY_MAX = 60_000;
    private static final int LONG_EVERY = 8;

    private StormMail() {}

    static EnvelopeId id(int producer, int number) {
        return EnvelopeId.parse("01%04d%020d".formatted(producer, number));
    }

    static Envelope of(int producer, int number, Instant now) {
        EnvelopeId id = id(producer, number);
        return Envelope.draft(
                        Actor.parse("p" + producer),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        "work " + number)
                .id(id)
                .ts(now)
                .priority(Priority.values()[number % Priority.values().length])
                .body(body(id))
                .seal();
    }

    /// Throws unless the envelope is whole.
    static void check(Envelope envelope) {
        if (!envelope.hashMatches() || !Arrays.equals(envelope.body(), body(envelope.id()))) {
            throw new IllegalStateException(
                    envelope.id() + ": the body is not the one that was sent");
        }
    }

    /// Lines of all lengths, some of which look like the end of a header.
    private static byte[] body(EnvelopeId id) {
        Random random = new Random(id.text().hashCode());
        boolean isLong = random.nextInt(LONG_EVERY) == 0;
        int length = random.nextInt(isLong ? LONG_BODY_MAX : SHORT_BODY_MAX);
        StringBuilder body = new StringBuilder(length + 100);
        while (body.length() < length) {
            body.append(random.nextInt(5) == 0 ? "---" : id.text().repeat(random.nextInt(4)))
                    .append(random.nextInt())
                    .append('\n');
        }
        return body.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
