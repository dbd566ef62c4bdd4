package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.WaitingLine;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

class SelectionVectorTest {

    private static final String DUE_TURN = "4";

    @TestFactory
    Stream<DynamicTest> orders() {
        return CaseTests.of("selection", SelectionVectorTest::checkOrder);
    }

    @TestFactory
    Stream<DynamicTest> picks() {
        return CaseTests.of("selection", SelectionVectorTest::checkPicks);
    }

    private static void checkOrder(Vector vector) {
        Instant now = Instant.parse(vector.get("now"));
        Map<String, List<String>> ids = new LinkedHashMap<>();
        for (String group : List.of("expired", "dead", "held", "warned")) {
            ids.put(group, new ArrayList<>());
        }
        List<Urgency> ready = new ArrayList<>();
        for (Urgency urgency : inbox(vector)) {
            String id = urgency.id().text();
            if (urgency.isAbsurd()) {
                ids.get("dead").add(id);
                continue;
            }
            if (urgency.isFromTheFuture()) {
                ids.get("warned").add(id);
            }
            if (urgency.isExpired(now)) {
                ids.get("expired").add(id);
            } else if (!urgency.isReady(now)) {
                ids.get("held").add(id);
            } else {
                ready.add(urgency);
            }
        }
        ready.sort(order(vector, now));
        assertThat(ready.stream().map(urgency -> urgency.id().text()))
                .isEqualTo(vector.words("order"));
        assertThat(ready.stream().map(urgency -> "P" + urgency.effectiveClass(now)))
                .isEqualTo(vector.words("effective"));
        ids.forEach((group, found) -> assertThat(found).as(group).isEqualTo(vector.words(group)));
        if (vector.find("weight").isPresent()) {
            assertThat(ready.stream().map(urgency -> "%.3f".formatted(urgency.weight(now))))
                    .isEqualTo(vector.words("weight"));
        }
    }

    /// Picks everything, always at the same pick number: the line must agree with the order.
    private static void checkPicks(Vector vector) {
        Instant now = Instant.parse(vector.get("now"));
        WaitingLine<EnvelopeId> line = new WaitingLine<>();
        for (Urgency urgency : inbox(vector)) {
            if (!urgency.isAbsurd()) {
                // Long before, so that everything that changes until now has to be noticed.
                line.put(urgency.id(), urgency, urgency.firstSeen());
            }
        }
        List<String> picked = new ArrayList<>();
        for (Optional<EnvelopeId> id = pick(vector, line, now);
                id.isPresent();
                id = pick(vector, line, now)) {
            picked.add(id.get().text());
            line.remove(id.get());
        }
        assertThat(picked).isEqualTo(vector.words("order"));
        assertThat(line.firstExpired(now).isPresent())
                .isEqualTo(!vector.words("expired").isEmpty());
    }

    private static Optional<EnvelopeId> pick(
            Vector vector, WaitingLine<EnvelopeId> line, Instant now) {
        return line.pick(now, turn(vector));
    }

    private static Comparator<Urgency> order(Vector vector, Instant now) {
        return switch (turn(vector)) {
            case NORMAL -> Urgency.normalOrder(now);
            case DUE -> Urgency.dueOrder();
            case DRAIN -> Urgency.drainOrder();
        };
    }

    private static Urgency.Turn turn(Vector vector) {
        int dueTurn = Integer.parseInt(vector.find("due_turn").orElse(DUE_TURN));
        Urgency.Turn turn = Urgency.Turn.of(Long.parseLong(vector.get("pick")), dueTurn);
        boolean drains = vector.get("drain").equals("true");
        return drains && turn == Urgency.Turn.NORMAL ? Urgency.Turn.DRAIN : turn;
    }

    private static List<Urgency> inbox(Vector vector) {
        return vector.text()
                .lines()
                .map(line -> urgency(line.split(" ", -1), vector.find("half_life")))
                .toList();
    }

    private static Urgency urgency(String[] columns, Optional<String> halfLife) {
        Duration ttl = seconds(columns[4]);
        return new Urgency(
                EnvelopeId.parse(columns[0]),
                Priority.parse(columns[1]),
                Instant.parse(columns[2]),
                Instant.parse(columns[3]),
                ttl,
                halfLife(halfLife.orElse("ttl/4")).of(ttl),
                Integer.parseInt(columns[5]),
                columns[6].equals("-") ? null : Instant.parse(columns[6]));
    }

    private static HalfLife halfLife(String text) {
        return text.startsWith(HalfLife.PART_PREFIX)
                ? HalfLife.parse(text)
                : new HalfLife.Fixed(seconds(text));
    }

    private static Duration seconds(String text) {
        return Duration.ofSeconds(Long.parseLong(text));
    }
}
