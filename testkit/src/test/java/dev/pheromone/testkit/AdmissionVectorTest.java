package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Backpressure;
import dev.pheromone.Backpressure.Cause;
import dev.pheromone.Backpressure.Load;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.SenderTraffic;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Priority;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

class AdmissionVectorTest {

    @TestFactory
    Stream<DynamicTest> backpressure() {
        return CaseTests.of("backpressure", AdmissionVectorTest::checkBackpressure);
    }

    @TestFactory
    Stream<DynamicTest> sender() {
        return CaseTests.of("sender", AdmissionVectorTest::checkSender);
    }

    private static void checkBackpressure(Vector vector) {
        BackpressureLimits limits =
                new BackpressureLimits(
                        number(vector, "depth_max"),
                        Duration.ofSeconds(number(vector, "oldest_age_max")));
        Load load =
                new Load(number(vector, "depth"), Duration.ofSeconds(number(vector, "oldest_age")));
        Backpressure.Admission admission =
                Backpressure.admit(
                        Priority.parse(vector.get("priority")),
                        Domain.parse(vector.get("inbox")),
                        cause(vector.get("held")),
                        load,
                        () -> Integer.parseInt(vector.find("sent").orElse("0")),
                        limits);
        String answer =
                switch (admission) {
                    case Backpressure.Admission.Admitted(var delay, var _) ->
                            "admitted " + delay.toMillis();
                    case Backpressure.Admission.Refused(var retryAfter, var _) ->
                            "refused " + retryAfter.toSeconds();
                };
        assertThat(answer).isEqualTo(vector.get("answer"));
        assertThat(Backpressure.entered(load, limits).map(Cause::toString).orElse("none"))
                .isEqualTo(vector.get("enters"));
        assertThat(Backpressure.isOver(load, limits))
                .isEqualTo(Boolean.parseBoolean(vector.get("over")));
    }

    private static @Nullable Cause cause(String text) {
        return text.equals("none") ? null : Cause.parse(text);
    }

    private static void checkSender(Vector vector) {
        SenderTraffic traffic = new SenderTraffic();
        vector.text()
                .lines()
                .map(line -> line.split(" ", -1))
                .forEach(columns ->
                        traffic.add(
                                Instant.parse(columns[0]),
                                Priority.parse(columns[1]),
                                Integer.parseInt(columns[2])));
        String answer =
                traffic.objection(
                                Priority.parse(vector.get("priority")),
                                number(vector, "hops"),
                                number(vector, "waiting"),
                                number(vector, "answers"),
                                SenderLimits.defaults(),
                                Instant.parse(vector.get("now")))
                        .map(refused -> "refused " + refused.retryAfter().toSeconds())
                        .orElse("admitted");
        assertThat(answer).isEqualTo(vector.get("answer"));
        if (answer.startsWith("refused")) {
            // Whoever knows of fewer does not even ask.
            long known = Math.max(vector.text().lines().count(), number(vector, "waiting"));
            assertThat(
                            SenderTraffic.objectionMin(
                                    Priority.parse(vector.get("priority")),
                                    number(vector, "hops"),
                                    number(vector, "answers") > 0,
                                    SenderLimits.defaults()))
                    .isLessThanOrEqualTo((int) known);
        }
    }

    private static int number(Vector vector, String key) {
        return Integer.parseInt(vector.get(key));
    }
}
