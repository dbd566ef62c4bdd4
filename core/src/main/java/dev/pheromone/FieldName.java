package dev.pheromone;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// The header fields that have a meaning here; all others are carried along.
///
/// In the order in which we write them: the specification's, then our own.
enum FieldName {
    ID,
    TS,
    FROM,
    TO,
    REPLY_TO,
    CORRELATION_ID,
    LANE,
    TOPIC,
    PRIORITY,
    TTL,
    SCOPE,
    CONSENT,
    SIG,
    KID,
    HASH,
    TAGS,
    ATTACHMENTS,
    TRACEPARENT,
    HOPS;

    static final int COUNT = values().length;

    private static final FieldName[] NAMES = values();

    private final String text = name().toLowerCase(Locale.ROOT);

    /// The field that these bytes name, or null if it has no meaning here.
    static @Nullable FieldName find(byte[] bytes, int start, int end) {
        for (FieldName name : NAMES) {
            if (name.text.length() == end - start && name.matches(bytes, start)) {
                return name;
            }
        }
        return null;
    }

    static boolean isKnown(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
        return find(bytes, 0, bytes.length) != null;
    }

    private boolean matches(byte[] other, int start) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) != other[start + i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return text;
    }
}
