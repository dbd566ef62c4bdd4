package dev.pheromone.envelope;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;

/// An envelope's text cut into header fields and body, by grammar alone: what the fields mean is
/// not looked at.
///
/// The header's grammar is a small part of YAML: whatever is read here, a YAML reader reads too,
/// with the same values. The bytes are not copied; nobody changes them as long as this lives.
public final class EnvelopeText {

    /// From after the opening line to before the closing one.
    public static final int HEADER_BYTES_MAX = 8 * 1024;

    /// How many fields a header may have.
    public static final int KEYS_MAX = 64;

    /// Longer keys are nobody's names; a YAML reader would stop at 1,024.
    public static final int KEY_LENGTH_MAX = 64;

    /// How many bytes a body may have.
    public static final int BODY_BYTES_MAX = 64 * 1024;

    /// What errors call the body, where they name a field.
    static final String BODY = "body";

    /// A byte order mark, and two lines of `---` that end in CR LF.
    private static final int FRAME_BYTES_MAX = 3 + 2 * 5;

    /// As many bytes of a file as surely hold its whole header, if it has one.
    public static final int PREFIX_BYTES_MAX = HEADER_BYTES_MAX + FRAME_BYTES_MAX;

    /// No envelope is longer.
    public static final int ENVELOPE_BYTES_MAX = PREFIX_BYTES_MAX + BODY_BYTES_MAX;

    /// One header field: its values as text (one, unless it is a list), the line of its key, and
    /// the bytes of its lines from `start` to before `end`, with comments and line ends.
    public record Field(
            String key, List<String> values, Shape shape, int line, int start, int end) {

        /// How the value was written.
        public enum Shape {
            /// Nothing after the colon.
            EMPTY,
            SCALAR,
            LIST
        }

        boolean isEmpty() {
            return shape == Shape.EMPTY;
        }
    }

    private final byte[] bytes;
    private final int length;
    private final List<Field> fields;
    private final @Nullable Field[] known;
    private final int headerStart;
    private final int headerEnd;
    private final int bodyStart;
    private final int closingLine;

    EnvelopeText(byte[] bytes, int length, List<Field> fields, HeaderScanner end) {
        this.bytes = bytes;
        this.length = length;
        this.fields = fields;
        this.known = end.known();
        this.headerStart = end.headerStart();
        this.headerEnd = end.headerEnd();
        this.bodyStart = end.bodyStart();
        this.closingLine = end.line();
    }

    /// Cuts a whole envelope.
    public static EnvelopeText parse(byte[] bytes) throws MalformedEnvelopeException {
        EnvelopeText text = parseHeader(bytes, bytes.length);
        int bodyLength = bytes.length - text.bodyStart;
        if (bodyLength > BODY_BYTES_MAX) {
            throw MalformedEnvelopeException.at(
                    text.closingLine + 1,
                    1,
                    BODY,
                    "found %d bytes, expected at most %d; larger content goes into attachments"
                            .formatted(bodyLength, BODY_BYTES_MAX));
        }
        return text;
    }

    /// Cuts the header out of the first `length` bytes of an envelope; where its body ends stays
    /// unknown.
    ///
    /// With `length` at least [#PREFIX_BYTES_MAX], or the whole file, the answer is the same as for
    /// the whole file.
    public static EnvelopeText parseHeader(byte[] bytes, int length)
            throws MalformedEnvelopeException {
        return parseHeader(bytes, length, HeaderScanner.Extent.ALL);
    }

    /// As [#parseHeader], but fields that `extent` leaves out are only checked: their values are
    /// empty texts here. For who reads very many headers.
    static EnvelopeText parseHeader(byte[] bytes, int length, HeaderScanner.Extent extent)
            throws MalformedEnvelopeException {
        HeaderScanner scanner = new HeaderScanner(bytes, length, extent);
        return new EnvelopeText(bytes, length, scanner.scan(), scanner);
    }

    /// The header's fields in their order.
    public List<Field> fields() {
        return fields;
    }

    /// The field named `key`, if there is one; there are never two.
    public Optional<Field> field(String key) {
        for (Field field : fields) {
            if (field.key().equals(key)) {
                return Optional.of(field);
            }
        }
        return Optional.empty();
    }

    /// The field of that meaning, or null if there is none.
    @Nullable Field find(FieldName name) {
        return known[name.ordinal()];
    }

    /// The first byte after the opening line.
    public int headerStart() {
        return headerStart;
    }

    /// The first byte of the closing line.
    public int headerEnd() {
        return headerEnd;
    }

    /// The first byte after the closing line: the body runs from here to the end, untrimmed.
    public int bodyStart() {
        return bodyStart;
    }

    /// The number of the closing line, counted from 1.
    int closingLine() {
        return closingLine;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }
}
