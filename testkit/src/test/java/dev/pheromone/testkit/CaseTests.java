package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;

import org.junit.jupiter.api.DynamicTest;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Turns cases into tests, one a file.
final class CaseTests {

    private CaseTests() {}

    interface Check {
        void of(Vector vector) throws Exception;
    }

    static Stream<DynamicTest> of(String family, Check check) {
        return of(Vectors.family(family).stream(), check);
    }

    static Stream<DynamicTest> of(Stream<Vector> vectors, Check check) {
        return vectors.map(
                vector -> DynamicTest.dynamicTest(vector.name(), () -> check.of(vector)));
    }

    /// The cases of a family of envelopes whose header has the right grammar, whatever its fields
    /// say.
    static Stream<Vector> wellFormed(String family) {
        return Vectors.family(family).stream().filter(CaseTests::isWellFormed);
    }

    private static boolean isWellFormed(Vector vector) {
        try {
            EnvelopeText.parse(vector.content());
            return true;
        } catch (MalformedEnvelopeException e) {
            return false;
        }
    }

    /// Fails unless `found` agrees with every key of the case, whose keys are all looked at.
    static void assertKeys(Vector vector, Map<String, String> found) {
        Map<String, String> expected = new TreeMap<>(vector.keys());
        expected.keySet().remove("expect");
        expected.keySet().remove("comment");
        Map<String, String> compared = new TreeMap<>(found);
        compared.keySet().retainAll(expected.keySet());
        assertThat(compared).as(vector.get("comment")).isEqualTo(expected);
    }
}
