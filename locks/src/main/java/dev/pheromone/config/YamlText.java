package dev.pheromone.config;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads a small YAML file into nodes, with limits: no anchors, aliases or tags, one document, no
/// key twice.
public final class YamlText {

    /// Configuration is written by hand; more than this is a mistake or an attack.
    public static final int BYTES_MAX = 256 * 1024;

    private static final int DEPTH_MAX = 16;

    private final Iterator<Event> events;
    private Event event;

    private YamlText(Iterator<Event> events) {
        this.events = events;
        this.event = events.next();
    }

    /// The root of the file, or null if there is nothing in it but comments.
    public static @Nullable YamlNode parse(byte[] bytes) throws MalformedYamlException {
        if (bytes.length > BYTES_MAX) {
            throw new MalformedYamlException(
                    1, "found %d bytes, expected at most %d".formatted(bytes.length, BYTES_MAX));
        }
        LoadSettings settings =
                LoadSettings.builder().setSchema(new FailsafeSchema()).setUseMarks(true).build();
        try {
            String text = decoded(bytes);
            return new YamlText(new ParserImpl(settings, new StreamReader(settings, text)))
                    .document();
        } catch (MarkedYamlEngineException e) {
            throw new MalformedYamlException(
                    e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1), e.getProblem());
        } catch (YamlEngineException e) {
            throw new MalformedYamlException(
                    1, String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }

    /// `text` as a scalar in single quotes, which knows no escapes but its own.
    public static String quoted(String text) {
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "found a line end or another control character, expected one line of text");
        }
        return "'" + text.replace("'", "''") + "'";
    }

    private static String decoded(byte[] bytes) throws MalformedYamlException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new MalformedYamlException(1, "found bytes that are not UTF-8, expected UTF-8");
        }
    }

    private @Nullable YamlNode document() throws MalformedYamlException {
        advance(); // the stream's start
        if (event.getEventId() == Event.ID.StreamEnd) {
            return null;
        }
        advance(); // the document's start
        YamlNode root = node(0);
        advance(); // the document's end
        if (event.getEventId() != Event.ID.StreamEnd) {
            throw new MalformedYamlException(line(), "found a second document, expected one");
        }
        return root;
    }

    private YamlNode node(int depth) throws MalformedYamlException {
        if (depth > DEPTH_MAX) {
            throw new MalformedYamlException(
                    line(),
                    "found more than %d levels, expected at most that".formatted(DEPTH_MAX));
        }
        checkNoMagic();
        int line = line();
        return switch (event) {
            case ScalarEvent scalar -> {
                advance();
                yield new YamlNode.Scalar(
                        scalar.getValue(), scalar.getScalarStyle() == ScalarStyle.PLAIN, line);
            }
            case SequenceStartEvent start -> {
                advance();
                yield new YamlNode.Sequence(items(depth), line);
            }
            case MappingStartEvent start -> {
                advance();
                yield new YamlNode.Mapping(entries(depth), line);
            }
            default -> throw new MalformedYamlException(line, "found no value, expected one");
        };
    }

    private List<YamlNode> items(int depth) throws MalformedYamlException {
        List<YamlNode> items = new ArrayList<>();
        while (event.getEventId() != Event.ID.SequenceEnd) {
            items.add(node(depth + 1));
        }
        advance();
        return List.copyOf(items);
    }

    private Map<String, YamlNode.Entry> entries(int depth) throws MalformedYamlException {
        Map<String, YamlNode.Entry> entries = new LinkedHashMap<>();
        while (event.getEventId() != Event.ID.MappingEnd) {
            int line = line();
            if (!(node(depth + 1) instanceof YamlNode.Scalar(String key, boolean plain, int at))) {
                throw new MalformedYamlException(
                        line, "found a key that is a list or map, expected a name");
            }
            YamlNode.Entry entry = new YamlNode.Entry(line, node(depth + 1));
            if (entries.putIfAbsent(key, entry) != null) {
                throw new MalformedYamlException(
                        line, key + ": found a second time, expected once");
            }
        }
        advance();
        return Collections.unmodifiableMap(entries);
    }

    private void checkNoMagic() throws MalformedYamlException {
        if (event instanceof AliasEvent
                || (event instanceof NodeEvent node && node.getAnchor().isPresent())) {
            throw new MalformedYamlException(
                    line(), "found an anchor or alias, expected the value itself");
        }
        boolean tagged =
                switch (event) {
                    case ScalarEvent scalar -> scalar.getTag().isPresent();
                    case CollectionStartEvent start -> start.getTag().isPresent();
                    default -> false;
                };
        if (tagged) {
            throw new MalformedYamlException(line(), "found a tag, expected the value without it");
        }
    }

    private void advance() {
        event = events.next();
    }

    private int line() {
        return event.getStartMark().map(Mark::getLine).orElse(0) + 1;
    }
}
