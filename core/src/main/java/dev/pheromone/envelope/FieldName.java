package dev.pheromone.envelope;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
    HOPS,
    FROM_ORIGIN,
    ASK,
    ASK_FREE,
    ASK_DEFAULT,
    ASK_DEADLINE,
    ASK_OF,
    ANSWER;

    static final int COUNT = values().length;

    private static final int BUCKETS = 64;

    /// The names by a cheap hash of their bytes: most buckets have one, or none.
    private static final FieldName[][] NAMES = new FieldName[BUCKETS][0];

    static {
        for (FieldName name : values()) {
            byte[] bytes = name.text.getBytes(StandardCharsets.US_ASCII);
            int bucket = bucketOf(bytes, 0, bytes.length);
            NAMES[bucket] = Arrays.copyOf(NAMES[bucket], NAMES[bucket].length + 1);
            NAMES[bucket][NAMES[bucket].length - 1] = name;
        }
    }

    private final String text = name().toLowerCase(Locale.ROOT);

    /// Whether a [Header] has it.
    boolean isOfHeader() {
        return switch (this) {
            case ID, TS, FROM, LANE, TOPIC, PRIORITY, TTL, CONSENT, HASH -> true;
            case TO, REPLY_TO, CORRELATION_ID, SCOPE, SIG, KID -> false;
            case TAGS, ATTACHMENTS, TRACEPARENT, HOPS, FROM_ORIGIN -> false;
            // Whether they are there is enough.
            case ASK, ASK_FREE, ASK_DEFAULT, ASK_DEADLINE, ASK_OF, ANSWER -> false;
        };
    }

    /// The field that these bytes name, or null if it has no meaning here.
    static @Nullable FieldName find(byte[] bytes, int start, int end) {
        for (FieldName name : NAMES[bucketOf(bytes, start, end)]) {
            if (name.text.length() == end - start && name.matches(bytes, start)) {
                return name;
            }
        }
        return null;
    }

    private static int bucketOf(byte[] bytes, int start, int end) {
        return (bytes[start] + 7 * bytes[end - 1] + 3 * (end - start)) & (BUCKETS - 1);
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
