package dev.pheromone.benchmarks;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/// Envelopes as agents send them: about a kilobyte, of all priorities, and no two alike. The same
/// seed gives the same, but for their ids.
final class SampleMail {

    static final Domain INBOX = Domain.parse("code");
    static final Actor SENDER = Actor.parse("claude-7f3a");

    private static final List<Address> TO = List.of(Address.parse("queen://code"));
    private static final List<Ttl> TTLS =
            List.of(Ttl.parse("1h"), Ttl.parse("8h"), Ttl.parse("1d"), Ttl.parse("7d"));
    private static final int BODY_LINES = 12;

    private final Random random = new Random(7);
    private int count;

    /// An envelope that was sent at most `ageMax` ago, and is not expired.
    Envelope next(Duration ageMax) {
        count++;
        Instant ts = Instant.now().minusMillis(random.nextLong(ageMax.toMillis() + 1));
        return Envelope.draft(SENDER, TO, Lane.CODE, "review change " + count + " of the parser")
                .ts(ts)
                .priority(Priority.values()[random.nextInt(Priority.values().length)])
                .ttl(TTLS.get(random.nextInt(TTLS.size())))
                .scope("core/src/main/java")
                .tags(List.of("review", "parser"))
                .body(body())
                .seal();
    }

    List<Envelope> next(int number, Duration ageMax) {
        return java.util.stream.Stream.generate(() -> next(ageMax)).limit(number).toList();
    }

    private String body() {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < BODY_LINES; i++) {
            body.append("Line ")
                    .append(random.nextInt(1000))
                    .append(" of Header.java reads twice what one look could tell; see ")
                    .append(Long.toHexString(random.nextLong()))
                    .append(".\n");
        }
        return body.toString();
    }
}
