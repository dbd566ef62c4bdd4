package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/// Whatever header we read, a YAML reader reads with the same values.
class YamlAgreementTest {

    @TestFactory
    Stream<DynamicTest> envelopes() {
        return CaseTests.of(CaseTests.wellFormed("envelope"), YamlAgreementTest::check);
    }

    @TestFactory
    Stream<DynamicTest> signatures() {
        return CaseTests.of(CaseTests.wellFormed("signature"), YamlAgreementTest::check);
    }

    private static void check(Vector vector) throws MalformedEnvelopeException {
        byte[] content = vector.content();
        EnvelopeText text = EnvelopeText.parse(content);
        Map<String, Object> ours = new LinkedHashMap<>();
        for (EnvelopeText.Field field : text.fields()) {
            ours.put(
                    field.key(),
                    switch (field.shape()) {
                        case EMPTY -> "";
                        case SCALAR -> field.values().getFirst();
                        case LIST -> field.values();
                    });
        }
        byte[] header = Arrays.copyOfRange(content, text.headerStart(), text.headerEnd());
        assertThat(yaml(header)).isEqualTo(ours);
    }

    private static Map<String, Object> yaml(byte[] header) {
        Node document =
                new Compose(LoadSettings.builder().build())
                        .composeString(new String(header, StandardCharsets.UTF_8))
                        .orElseThrow();
        Map<String, Object> fields = new LinkedHashMap<>();
        for (NodeTuple field : ((MappingNode) document).getValue()) {
            fields.put((String) text(field.getKeyNode()), text(field.getValueNode()));
        }
        return fields;
    }

    /// Nodes rather than values: every scalar is text to us, whatever YAML would make of it.
    private static Object text(Node node) {
        return switch (node) {
            case ScalarNode scalar -> scalar.getValue();
            case SequenceNode list ->
                    list.getValue().stream().map(YamlAgreementTest::text).toList();
            default ->
                    throw new AssertionError(
                            "found " + node.getNodeType() + ", expected scalars and lists");
        };
    }
}
