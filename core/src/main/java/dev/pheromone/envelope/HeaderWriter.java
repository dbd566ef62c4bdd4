package dev.pheromone.envelope;

import dev.pheromone.text.HeaderChars;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Writes a header field by field; what is null or an empty list is left out.
final class HeaderWriter {

    private final StringBuilder header = new StringBuilder(512).append("---\n");

    /// A value whose text form needs no quotes.
    HeaderWriter field(FieldName name, @Nullable Object value) {
        if (value != null) {
            String text = value.toString();
            refuseUnprintable(name, text);
            header.append(name).append(": ").append(text).append('\n');
        }
        return this;
    }

    /// Refuses what no header may contain before it is written: a line end within a value would
    /// begin a line of its own, and could be a field or a comment.
    private static void refuseUnprintable(FieldName name, String text) {
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (!HeaderChars.isAllowed(c)) {
                String found =
                        c == '\n' || c == '\r'
                                ? "a line end (U+%04X)".formatted(c)
                                : HeaderChars.describe(c);
                throw new IllegalArgumentException(
                        name + ": found " + found + ", expected printable characters in one line");
            }
            i += Character.charCount(c);
        }
    }

    /// A value that somebody typed.
    HeaderWriter text(FieldName name, @Nullable String value) {
        return value == null ? this : field(name, ScalarText.of(value));
    }

    HeaderWriter list(FieldName name, List<?> values) {
        if (values.isEmpty()) {
            return this;
        }
        return listOrNone(name, values);
    }

    /// As [#list], of a field that says something by being there: `[]` if the list is empty.
    HeaderWriter listOrNone(FieldName name, List<?> values) {
        return field(name, ScalarText.ofList(values));
    }

    /// The whole envelope's bytes. Fails on text that has no UTF-8 form, which would otherwise
    /// become question marks.
    byte[] close(byte[] body) {
        String text = header.append("---\n").toString();
        try {
            ByteBuffer head = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[head.remaining() + body.length];
            int bodyStart = head.remaining();
            head.get(bytes, 0, bodyStart);
            System.arraycopy(body, 0, bytes, bodyStart, body.length);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "header: found half a surrogate pair, expected whole characters", e);
        }
    }
}
