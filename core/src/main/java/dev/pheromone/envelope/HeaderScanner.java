package dev.pheromone.envelope;

import dev.pheromone.envelope.EnvelopeText.Field;
import dev.pheromone.text.HeaderChars;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Reads a header line by line: one look at each byte for what it is, one for what it means.
final class HeaderScanner {

    /// Which fields' values are read; the grammar of all is checked.
    enum Extent {
        ALL,
        /// Only those that a [Header] has.
        HEADER
    }

    private static final AsciiSet KEY = new AsciiSet("abcdefghijklmnopqrstuvwxyz0123456789_");

    private static final String CLOSING =
            "found no closing line ---, expected one at the end of the header";

    private final byte[] bytes;
    private final PackedBytes packed;
    private final Extent extent;

    /// Nothing is read from here on: either the text ends, or the header has become too long.
    private final int end;

    private final boolean cutByLimit;
    private final List<Field> fields = new ArrayList<>(16);
    private final @Nullable Field[] known = new Field[FieldName.COUNT];

    private final int headerStart;
    private int headerEnd;
    private int bodyStart;

    /// What the last field's name means, if it means something.
    private @Nullable FieldName lastName;

    private int line = 1;
    private int lineStart;

    /// The first byte that is no longer part of the line, its line end not counted.
    private int lineEnd;

    private int next;
    private boolean isAscii;

    HeaderScanner(byte[] bytes, int length, Extent extent) throws MalformedEnvelopeException {
        this.bytes = bytes;
        this.packed = new PackedBytes(bytes);
        this.extent = extent;
        int start = hasByteOrderMark(length) ? 3 : 0;
        this.headerStart = afterOpeningLine(start, length);
        int limit = headerStart + EnvelopeText.HEADER_BYTES_MAX + "---\r\n".length();
        this.end = Math.min(length, limit);
        this.cutByLimit = length > limit;
        this.next = headerStart;
    }

    int headerStart() {
        return headerStart;
    }

    int headerEnd() {
        return headerEnd;
    }

    int bodyStart() {
        return bodyStart;
    }

    int line() {
        return line;
    }

    /// The fields that have a meaning here, each at its name's place.
    @Nullable Field[] known() {
        return known;
    }

    /// The fields in their order. Afterwards, [#headerEnd], [#bodyStart] and [#line] tell about the
    /// closing line.
    List<Field> scan() throws MalformedEnvelopeException {
        ValueScanner value = new ValueScanner(this, bytes, packed);
        while (true) {
            advance();
            int first = lineStart < lineEnd ? bytes[lineStart] : ' ';
            if (first >= 'a' && first <= 'z') {
                readField(value);
            } else if (isClosingLine()) {
                headerEnd = lineStart;
                bodyStart = next;
                checkHeaderLength();
                return Collections.unmodifiableList(fields);
            } else if (next == end && !endsInLineFeed()) {
                throw unclosed();
            } else if (first != '#' && !isBlank()) {
                readListItem(value);
            }
        }
    }

    /// The text of these bytes of this line.
    String text(int from, int to) {
        // What is known to be ASCII is not looked at again.
        return new String(
                bytes,
                from,
                to - from,
                isAscii ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    /// An error at byte `at` of this line.
    MalformedEnvelopeException error(@Nullable String field, int at, String problem) {
        int column = 1;
        for (int i = lineStart; i < at; i++) {
            if ((bytes[i] & 0xC0) != 0x80) {
                column++;
            }
        }
        return MalformedEnvelopeException.at(line, column, field, problem);
    }

    private void readField(ValueScanner value) throws MalformedEnvelopeException {
        int colon = lineStart + 1;
        while (colon < lineEnd && KEY.contains(bytes[colon])) {
            colon++;
        }
        if (next == end && !endsInLineFeed()) {
            throw unclosed();
        }
        if (colon == lineEnd
                || bytes[colon] != ':'
                || colon - lineStart > EnvelopeText.KEY_LENGTH_MAX) {
            throw badKey(colon);
        }
        FieldName name = FieldName.find(bytes, lineStart, colon);
        String key = name == null ? text(lineStart, colon) : name.toString();
        checkNew(name, key);
        if (colon + 1 < lineEnd && bytes[colon + 1] != ' ') {
            throw error(null, colon + 1, "found no space after the colon, expected one");
        }
        value.want(extent == Extent.ALL || (name != null && name.isOfHeader()));
        Field.Shape shape = value.read(key, colon + 1, lineEnd);
        lastName = name;
        add(new Field(key, value.values(), shape, line, lineStart, next));
    }

    private void add(Field field) {
        fields.add(field);
        if (lastName != null) {
            known[lastName.ordinal()] = field;
        }
    }

    private MalformedEnvelopeException badKey(int at) {
        if (at - lineStart > EnvelopeText.KEY_LENGTH_MAX) {
            return error(
                    null,
                    lineStart,
                    "found a key of more than %d characters, expected a shorter one"
                            .formatted(EnvelopeText.KEY_LENGTH_MAX));
        }
        String key = text(lineStart, at);
        return error(
                null,
                at,
                "found no colon after \"%s\", expected a key of a-z, 0-9 and _, and a colon"
                        .formatted(key));
    }

    private void checkNew(@Nullable FieldName name, String key) throws MalformedEnvelopeException {
        boolean isNew = name != null && known[name.ordinal()] == null;
        for (int i = isNew ? fields.size() : 0; i < fields.size(); i++) {
            Field earlier = fields.get(i);
            if (earlier.key().equals(key)) {
                throw error(
                        key,
                        lineStart,
                        "found a second time, first in line %d, expected once"
                                .formatted(earlier.line()));
            }
        }
        if (fields.size() == EnvelopeText.KEYS_MAX) {
            throw error(
                    null,
                    lineStart,
                    "found more than %d keys, expected at most that"
                            .formatted(EnvelopeText.KEYS_MAX));
        }
    }

    /// Reads `- item`, which belongs to the field before it.
    private void readListItem(ValueScanner value) throws MalformedEnvelopeException {
        int dash = lineStart;
        while (dash < lineEnd && bytes[dash] == ' ') {
            dash++;
        }
        boolean isItem = bytes[dash] == '-' && (dash + 1 == lineEnd || bytes[dash + 1] == ' ');
        if (!isItem) {
            throw dash > lineStart
                    ? error(null, dash, "found an indented line, expected a key at column 1")
                    : error(null, dash, "found no key, expected one that begins with a-z");
        }
        if (!value.takesItems(dash - lineStart)) {
            String expected =
                    "expected one only below a key without a value, and the next below it";
            throw error(null, dash, "found a list item, " + expected);
        }
        Field list = fields.removeLast();
        value.readItem(list.key(), dash - lineStart, dash + 1, lineEnd);
        add(
                new Field(
                        list.key(),
                        value.values(),
                        Field.Shape.LIST,
                        list.line(),
                        list.start(),
                        next));
    }

    /// Moves to the next line, and checks each of its characters.
    private void advance() throws MalformedEnvelopeException {
        if (next >= end) {
            line++;
            throw unclosed();
        }
        line++;
        lineStart = next;
        int at = next;
        isAscii = true;
        while (true) {
            at = packed.afterPrintable(at, end);
            if (at == end) {
                break;
            }
            int b = bytes[at];
            if (b == '\n') {
                lineEnd = at;
                next = at + 1;
                return;
            } else if (b == '\r' && at + 1 < end && bytes[at + 1] == '\n') {
                lineEnd = at;
                next = at + 2;
                return;
            } else {
                at += checked(at);
                isAscii = false;
            }
        }
        lineEnd = end;
        next = end;
    }

    /// How many bytes the character at `at` has, if a header may contain it.
    private int checked(int at) throws MalformedEnvelopeException {
        int codePoint = HeaderChars.decode(bytes, at, end);
        if (codePoint == HeaderChars.CUT_OFF) {
            throw unclosed();
        }
        if (codePoint == HeaderChars.NOT_UTF8) {
            throw error(
                    null,
                    at,
                    "found a byte that is not UTF-8 (0x%02X), expected UTF-8"
                            .formatted(bytes[at] & 0xFF));
        }
        if (!HeaderChars.isAllowed(codePoint)) {
            throw error(
                    null,
                    at,
                    "found %s, expected printable characters only"
                            .formatted(HeaderChars.describe(codePoint)));
        }
        return HeaderChars.length(codePoint);
    }

    private boolean isClosingLine() {
        return lineEnd - lineStart == 3
                && bytes[lineStart] == '-'
                && bytes[lineStart + 1] == '-'
                && bytes[lineStart + 2] == '-';
    }

    private boolean isBlank() {
        for (int i = lineStart; i < lineEnd; i++) {
            if (bytes[i] != ' ') {
                return false;
            }
        }
        return true;
    }

    private boolean endsInLineFeed() {
        return next > lineEnd;
    }

    private void checkHeaderLength() throws MalformedEnvelopeException {
        if (headerEnd - headerStart > EnvelopeText.HEADER_BYTES_MAX) {
            throw tooLong();
        }
    }

    private MalformedEnvelopeException unclosed() {
        return cutByLimit ? tooLong() : MalformedEnvelopeException.incomplete(line, CLOSING);
    }

    private MalformedEnvelopeException tooLong() {
        return MalformedEnvelopeException.at(
                line,
                1,
                null,
                "header: found more than %d bytes without a closing line ---"
                                .formatted(EnvelopeText.HEADER_BYTES_MAX)
                        + ", expected at most that");
    }

    private boolean hasByteOrderMark(int length) {
        return length >= 3
                && bytes[0] == (byte) 0xEF
                && bytes[1] == (byte) 0xBB
                && bytes[2] == (byte) 0xBF;
    }

    private int afterOpeningLine(int start, int length) throws MalformedEnvelopeException {
        int at = start;
        for (int i = 0; i < 3; i++, at++) {
            if (at == length) {
                throw unopened();
            }
            if (bytes[at] != '-') {
                throw MalformedEnvelopeException.at(
                        1, 1, null, "found no opening line, expected ---");
            }
        }
        if (at < length && bytes[at] == '\r') {
            at++;
        }
        if (at == length) {
            throw unopened();
        }
        if (bytes[at] != '\n') {
            throw MalformedEnvelopeException.at(
                    1, 4, null, "found more than --- in the opening line, expected only that");
        }
        return at + 1;
    }

    private static MalformedEnvelopeException unopened() {
        return MalformedEnvelopeException.incomplete(
                1, "found the end of the text, expected an opening line ---");
    }
}
