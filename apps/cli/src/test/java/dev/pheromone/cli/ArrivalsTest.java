package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.mail.Arrivals;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

class ArrivalsTest {

    private static final Instant NOON = Instant.parse("2025-10-15T12:00:00Z");

    private static Waiting mail(String end, int second) {
        EnvelopeId id = EnvelopeId.parse("01JBRM7XCN6E9M6KQGM6K3J3" + end);
        Instant at = NOON.plusSeconds(second);
        Header header =
                new Header(
                        id,
                        at,
                        Actor.parse("you"),
                        Lane.CODE,
                        "topic",
                        Priority.P2,
                        Ttl.parse("1d"),
                        Consent.TEAM,
                        ContentHash.of(new byte[0]),
                        false,
                        false,
                        false,
                        0);
        Urgency urgency =
                new Urgency(
                        id, Priority.P2, at, at, Duration.ofDays(1), Duration.ofHours(6), 0, null);
        return new Waiting.Mail(header, urgency, 0, "inbox/code/" + id + ".md");
    }

    private static List<String> ids(List<Waiting.Mail> mail) {
        return mail.stream().map(item -> item.header().id().shortForm().substring(4)).toList();
    }

    @Test
    void onlyWhatIsNewIsToldAndInTheOrderItCame() {
        Arrivals arrivals = new Arrivals(Arrivals.Place.typed("0", NOON));
        assertThat(ids(arrivals.in(List.of(mail("E6", 2), mail("E5", 1)))))
                .containsExactly("e5", "e6");
        assertThat(arrivals.in(List.of(mail("E6", 2), mail("E5", 1)))).isEmpty();
        assertThat(ids(arrivals.in(List.of(mail("E6", 2), mail("E7", 3))))).containsExactly("e7");
    }

    @Test
    void whatLeftAndCameBackIsToldAgain() {
        Arrivals arrivals = new Arrivals(Arrivals.Place.typed("0", NOON));
        assertThat(arrivals.in(List.of(mail("E5", 1)))).hasSize(1);
        assertThat(arrivals.in(List.of())).isEmpty();
        assertThat(arrivals.in(List.of(mail("E5", 1)))).hasSize(1);
    }

    @Test
    void aCursorGoesOnAfterWhatItNames() {
        String cursor = Arrivals.Place.of((Waiting.Mail) mail("E5", 1)).toString();
        Arrivals arrivals = new Arrivals(Arrivals.Place.typed(cursor, NOON));
        assertThat(ids(arrivals.in(List.of(mail("E5", 1), mail("E6", 1))))).containsExactly("e6");
    }

    @Test
    void withoutACursorItBeginsNow() {
        Arrivals arrivals = new Arrivals(Arrivals.Place.typed(null, NOON.plusSeconds(5)));
        assertThat(ids(arrivals.in(List.of(mail("E5", 1), mail("E6", 9))))).containsExactly("e6");
    }

    @Test
    void whatIsNoCursorIsWrongUsage() {
        assertThatThrownBy(() -> Arrivals.Place.typed("soon", NOON))
                .isInstanceOf(CliException.class)
                .hasMessageStartingWith("option --after: found \"soon\"");
    }
}
