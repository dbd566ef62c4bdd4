package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeText.Field;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A real YAML library's opinion of a header, to hold ours against.
final class YamlOracle {

    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setSchema(new FailsafeSchema()).build();

    private YamlOracle() {}

    /// The header as the library reads it, maps, lists and texts; fails as the library does.
    static Object load(String header) {
        return new Compose(SETTINGS).composeString(header).map(YamlOracle::value).orElse(Map.of());
    }

    // Nodes, because the library's own values have none for a key without a value in a schema
    // without null.
    private static Object value(Node node) {
        return switch (node) {
            case MappingNode mapping -> {
                Map<Object, Object> values = new LinkedHashMap<>();
                for (NodeTuple tuple : mapping.getValue()) {
                    values.put(value(tuple.getKeyNode()), value(tuple.getValueNode()));
                }
                yield values;
            }
            case SequenceNode sequence ->
                    sequence.getValue().stream().map(YamlOracle::value).toList();
            case ScalarNode scalar -> scalar.getValue();
            default -> throw new AssertionError("a node of another kind: " + node);
        };
    }

    /// Fails unless the library accepts the header of `text` too, and finds the same keys and
    /// values in it.
    static void checkAgreement(EnvelopeText text) throws CharacterCodingException {
        String header = header(text);
        Object theirs = load(header);
        Map<String, Object> ours = new LinkedHashMap<>();
        for (Field field : text.fields()) {
            ours.put(field.key(), value(field));
        }
        assertThat(theirs).as("header:%n%s", header).isEqualTo(ours);
        assertThat(((Map<?, ?>) theirs).keySet().toString()).isEqualTo(ours.keySet().toString());
    }

    static String header(EnvelopeText text) throws CharacterCodingException {
        int length = text.headerEnd() - text.headerStart();
        ByteBuffer bytes = ByteBuffer.wrap(text.bytes(), text.headerStart(), length);
        return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    }

    private static Object value(Field field) {
        return switch (field.shape()) {
            case EMPTY -> "";
            case SCALAR -> field.values().getFirst();
            case LIST -> List.copyOf(field.values());
        };
    }
}
