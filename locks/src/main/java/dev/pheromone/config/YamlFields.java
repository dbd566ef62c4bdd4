package dev.pheromone.config;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// One map of a configuration file, whose keys are all known: any other is an error, and so is a
/// value of a wrong type.
public final class YamlFields {

    private static final String SEPARATOR = ": ";

    private final Map<String, YamlNode.Entry> entries;

    /// Where the map stands, as errors say it: `backpressure: `.
    private final String path;

    private final int line;

    private YamlFields(Map<String, YamlNode.Entry> entries, String path, int line) {
        this.entries = entries;
        this.path = path;
        this.line = line;
    }

    /// The map that is the whole file; an empty file is an empty map.
    public static YamlFields ofRoot(@Nullable YamlNode root) throws MalformedYamlException {
        return root == null ? new YamlFields(Map.of(), "", 1) : of(root, "");
    }

    private static YamlFields of(YamlNode node, String path) throws MalformedYamlException {
        return switch (node) {
            case YamlNode.Mapping(var entries, var line) -> new YamlFields(entries, path, line);
            case YamlNode.Scalar scalar when scalar.isNothing() ->
                    new YamlFields(Map.of(), path, scalar.line());
            default ->
                    throw new MalformedYamlException(
                            node.line(), path + "found no map, expected key: value");
        };
    }

    public int line() {
        return line;
    }

    /// Fails on the first key that is none of these.
    public YamlFields only(String... known) throws MalformedYamlException {
        List<String> names = List.of(known);
        for (Map.Entry<String, YamlNode.Entry> entry : entries.entrySet()) {
            if (!names.contains(entry.getKey())) {
                throw new MalformedYamlException(
                        entry.getValue().line(),
                        "%sfound unknown key \"%s\", expected one of %s"
                                .formatted(path, entry.getKey(), String.join(", ", names)));
            }
        }
        return this;
    }

    boolean has(String key) {
        return entries.containsKey(key);
    }

    /// The value of `key`, or `absent` if there is no such key.
    public <T> T value(String key, Function<String, T> parser, T absent)
            throws MalformedYamlException {
        T value = optional(key, parser);
        return value == null ? absent : value;
    }

    /// The value of `key`, or null if there is no such key.
    public <T> @Nullable T optional(String key, Function<String, T> parser)
            throws MalformedYamlException {
        YamlNode.Entry entry = entries.get(key);
        return entry == null ? null : scalar(entry.value(), path + key + SEPARATOR, parser);
    }

    /// The truth value of `key`, or `absent` if there is no such key.
    boolean truth(String key, boolean absent) throws MalformedYamlException {
        return value(key, YamlFields::parseTruth, absent);
    }

    /// The value of `key`, which must be there.
    public <T> T required(String key, Function<String, T> parser) throws MalformedYamlException {
        YamlNode.Entry entry = entries.get(key);
        if (entry == null) {
            throw new MalformedYamlException(line, path + "found no " + key + ", expected one");
        }
        return scalar(entry.value(), path + key + SEPARATOR, parser);
    }

    /// The items of the list at `key`; none if there is no such key.
    <T> List<T> values(String key, Function<String, T> parser) throws MalformedYamlException {
        List<T> values = new ArrayList<>();
        for (YamlNode item : items(key)) {
            values.add(scalar(item, path + key + SEPARATOR, parser));
        }
        return List.copyOf(values);
    }

    /// The maps in the list at `key`; none if there is no such key.
    List<YamlFields> maps(String key) throws MalformedYamlException {
        List<YamlFields> maps = new ArrayList<>();
        for (YamlNode item : items(key)) {
            maps.add(of(item, path + key + SEPARATOR));
        }
        return List.copyOf(maps);
    }

    /// The map at `key`; an empty one if there is no such key.
    YamlFields map(String key) throws MalformedYamlException {
        YamlNode.Entry entry = entries.get(key);
        String below = path + key + SEPARATOR;
        return entry == null ? new YamlFields(Map.of(), below, line) : of(entry.value(), below);
    }

    /// The maps in this map, by names that whoever wrote it chose.
    <K> Map<K, YamlFields> named(Function<String, K> parser) throws MalformedYamlException {
        Map<K, YamlFields> named = new LinkedHashMap<>();
        for (Map.Entry<String, YamlNode.Entry> entry : entries.entrySet()) {
            String name = entry.getKey();
            K key = parsed(name, path, entry.getValue().line(), parser);
            named.put(key, of(entry.getValue().value(), path + name + SEPARATOR));
        }
        return named;
    }

    private static boolean parseTruth(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default ->
                    throw new IllegalArgumentException(
                            "found \"" + text + "\", expected true or false");
        };
    }

    private List<YamlNode> items(String key) throws MalformedYamlException {
        YamlNode.Entry entry = entries.get(key);
        if (entry == null) {
            return List.of();
        }
        return switch (entry.value()) {
            case YamlNode.Sequence(var items, var at) -> items;
            case YamlNode.Scalar scalar when scalar.isNothing() -> List.of();
            default ->
                    throw new MalformedYamlException(
                            entry.line(),
                            path + key + ": found no list, expected one such as [one, two]");
        };
    }

    private static <T> T scalar(YamlNode node, String path, Function<String, T> parser)
            throws MalformedYamlException {
        return switch (node) {
            case YamlNode.Scalar scalar when scalar.isNothing() ->
                    throw new MalformedYamlException(
                            node.line(), path + "found nothing, expected a value");
            case YamlNode.Scalar scalar -> parsed(scalar.text(), path, scalar.line(), parser);
            default ->
                    throw new MalformedYamlException(
                            node.line(), path + "found a list or map, expected a single value");
        };
    }

    private static <T> T parsed(String text, String path, int line, Function<String, T> parser)
            throws MalformedYamlException {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new MalformedYamlException(
                    line, path + withoutName(String.valueOf(e.getMessage())));
        }
    }

    /// The values' own messages begin with their names (`ttl: found …`), which the path here
    /// replaces.
    private static String withoutName(String message) {
        int found = message.indexOf(": found ");
        return found > 0 ? message.substring(found + 2) : message;
    }
}
