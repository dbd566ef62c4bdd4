package dev.pheromone;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// The names of the header fields that have a meaning here; all others are carried along.
final class FieldName {

    static final String ID = "id";
    static final String TS = "ts";
    static final String FROM = "from";
    static final String TO = "to";
    static final String REPLY_TO = "reply_to";
    static final String CORRELATION_ID = "correlation_id";
    static final String LANE = "lane";
    static final String TOPIC = "topic";
    static final String PRIORITY = "priority";
    static final String TTL = "ttl";
    static final String SCOPE = "scope";
    static final String CONSENT = "consent";
    static final String SIG = "sig";
    static final String HASH = "hash";
    static final String TAGS = "tags";
    static final String KID = "kid";
    static final String ATTACHMENTS = "attachments";
    static final String TRACEPARENT = "traceparent";
    static final String HOPS = "hops";

    /// In the order in which we write them: the specification's, then our own.
    static final List<String> IN_ORDER =
            List.of(
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
                    HOPS);

    private static final String[] KNOWN = IN_ORDER.toArray(String[]::new);

    private FieldName() {}

    /// The name in these bytes, without making a new string for a known one.
    static String of(byte[] bytes, int start, int end) {
        for (String name : KNOWN) {
            if (equals(name, bytes, start, end)) {
                return name;
            }
        }
        return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
    }

    private static boolean equals(String name, byte[] bytes, int start, int end) {
        if (name.length() != end - start) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) != bytes[start + i]) {
                return false;
            }
        }
        return true;
    }
}
