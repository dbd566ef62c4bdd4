package dev.pheromone;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Writes a header field by field; what is null or an empty list is left out.
final class HeaderWriter {

    private final StringBuilder header = new StringBuilder(512).append("---\n");

    /// A value whose text form needs no quotes.
    HeaderWriter field(String key, @Nullable Object value) {
        if (value != null) {
            header.append(key).append(": ").append(value).append('\n');
        }
        return this;
    }

    /// A value that somebody typed.
    HeaderWriter text(String key, @Nullable String value) {
        return value == null ? this : field(key, ScalarText.of(value));
    }

    HeaderWriter list(String key, List<?> values) {
        if (values.isEmpty()) {
            return this;
        }
        return field(key, ScalarText.ofList(values.stream().map(Object::toString).toList()));
    }

    /// The whole envelope's bytes.
    byte[] close(byte[] body) {
        byte[] head = header.append("---\n").toString().getBytes(StandardCharsets.UTF_8);
        byte[] bytes = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, bytes, head.length, body.length);
        return bytes;
    }
}
