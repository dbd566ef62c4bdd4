package dev.pheromone.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One case of the protocol, from a file in `spec/vectors`: an input, and what a reader must make
/// of it.
///
/// The file's format is described beside the cases, in `spec/vectors/README.md`.
public final class Vector {

    private static final int ESCAPE_LENGTH = "\\u0000".length();

    private final String family;
    private final String name;
    private final Map<String, String> keys;
    private final byte[] content;

    private Vector(String family, String name, Map<String, String> keys, byte[] content) {
        this.family = family;
        this.name = name;
        this.keys = Collections.unmodifiableMap(keys);
        this.content = content;
    }

    static Vector parse(String family, String name, byte[] file) {
        int headEnd = 0;
        while (headEnd + 1 < file.length && !(file[headEnd] == '\n' && file[headEnd + 1] == '\n')) {
            headEnd++;
        }
        if (headEnd + 1 >= file.length) {
            throw new IllegalArgumentException(
                    "vector "
                            + family
                            + "/"
                            + name
                            + " has no empty line, expected one after its keys");
        }
        Map<String, String> keys = new LinkedHashMap<>();
        String head = new String(file, 0, headEnd, StandardCharsets.US_ASCII);
        head.lines().forEach(line -> addKey(family + "/" + name, line, keys));
        return new Vector(family, name, keys, Arrays.copyOfRange(file, headEnd + 2, file.length));
    }

    private static void addKey(String vector, String line, Map<String, String> keys) {
        int colon = line.indexOf(':');
        boolean valid = colon > 0 && (colon + 1 == line.length() || line.charAt(colon + 1) == ' ');
        String value = valid ? line.substring(Math.min(colon + 2, line.length())) : "";
        if (!valid || keys.putIfAbsent(line.substring(0, colon), unescape(value)) != null) {
            throw new IllegalArgumentException(
                    "vector "
                            + vector
                            + ": found line \""
                            + line
                            + "\", expected a new key, a colon and a value");
        }
    }

    private static String unescape(String value) {
        StringBuilder text = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); ) {
            if (value.startsWith("\\u", i)) {
                text.append((char) Integer.parseInt(value.substring(i + 2, i + ESCAPE_LENGTH), 16));
                i += ESCAPE_LENGTH;
            } else {
                text.append(value.charAt(i++));
            }
        }
        return text.toString();
    }

    public String family() {
        return family;
    }

    public String name() {
        return name;
    }

    /// All keys with their values, in the order of the file.
    public Map<String, String> keys() {
        return keys;
    }

    /// What a reader must answer: `success`, or the kind of failure.
    public String expect() {
        return get("expect");
    }

    public boolean expectsSuccess() {
        return expect().equals("success");
    }

    /// The value of a key that the case must have.
    public String get(String key) {
        return find(key)
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "vector " + this + " has no key " + key + ", expected one"));
    }

    public Optional<String> find(String key) {
        return Optional.ofNullable(keys.get(key));
    }

    /// This case without some of its keys.
    public Vector without(String... others) {
        Map<String, String> fewer = new LinkedHashMap<>(keys);
        fewer.keySet().removeAll(List.of(others));
        return new Vector(family, name, fewer, content);
    }

    /// The words of a value that is a list; none if the key is missing.
    public List<String> words(String key) {
        List<String> words = new ArrayList<>(List.of(keys.getOrDefault(key, "").split(" ", -1)));
        words.removeIf(String::isEmpty);
        return List.copyOf(words);
    }

    /// A copy of the bytes of the case.
    public byte[] content() {
        return content.clone();
    }

    /// The bytes of the case as text, for cases that are UTF-8.
    public String text() {
        return new String(content, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return family + "/" + name;
    }
}
