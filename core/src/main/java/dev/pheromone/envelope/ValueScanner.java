package dev.pheromone.envelope;

import dev.pheromone.envelope.EnvelopeText.Field.Shape;
import dev.pheromone.text.HeaderChars;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Reads what stands after a key or a list item's dash, within one line: a plain or quoted scalar,
/// or a flow list.
///
/// Works on lines whose characters are already known to be well-formed and allowed.
final class ValueScanner {

    /// A plain scalar may not begin with one of these: each means something else to a YAML reader.
    private static final AsciiSet INDICATORS = new AsciiSet("-?:,[]{}#&*!|>'\"%@`");

    /// Where a plain scalar in a flow list may end.
    private static final AsciiSet ENDS_IN_LIST = new AsciiSet(":#,[]{}");

    private static final int NOT_OPEN = -2;
    private static final int ANY_INDENT = -1;

    private final HeaderScanner lines;
    private final byte[] bytes;
    private final PackedBytes packed;

    private boolean wanted = true;
    private String key = "";
    private int end;
    private int at;

    private List<String> values = List.of();
    private List<String> items = List.of();

    /// How far the items of the list that is open are indented.
    private int itemIndent = NOT_OPEN;

    ValueScanner(HeaderScanner lines, byte[] bytes, PackedBytes packed) {
        this.lines = lines;
        this.bytes = bytes;
        this.packed = packed;
    }

    /// Whether anybody asks what the next field says; if not, it is checked only, and its texts are
    /// empty.
    void want(boolean wanted) {
        this.wanted = wanted;
    }

    /// What the last [#read] or [#readItem] found; for items, all of the list so far.
    List<String> values() {
        return values;
    }

    /// Reads the value between a key's colon and the end of its line.
    Shape read(String key, int from, int lineEnd) throws MalformedEnvelopeException {
        begin(key, from, lineEnd);
        itemIndent = NOT_OPEN;
        if (at == end || bytes[at] == '#') {
            itemIndent = ANY_INDENT;
            values = List.of();
            return Shape.EMPTY;
        }
        if (bytes[at] == '[') {
            values = flowList();
            expectEnd();
            return Shape.LIST;
        }
        values = List.of(scalar(false));
        expectEnd();
        return Shape.SCALAR;
    }

    /// Whether a list item with this indentation may stand below the last key.
    boolean takesItems(int indent) {
        return itemIndent == ANY_INDENT || itemIndent == indent;
    }

    /// Reads the value between an item's dash and the end of its line.
    void readItem(String key, int indent, int from, int lineEnd) throws MalformedEnvelopeException {
        begin(key, from, lineEnd);
        if (at == end || bytes[at] == '#') {
            throw error("found an empty list item, expected a value");
        }
        if (itemIndent == ANY_INDENT) {
            itemIndent = indent;
            items = new ArrayList<>();
            values = Collections.unmodifiableList(items);
        }
        items.add(scalar(false));
        expectEnd();
    }

    private void begin(String key, int from, int lineEnd) {
        this.key = key;
        this.end = lineEnd;
        this.at = from;
        skipSpaces();
    }

    private List<String> flowList() throws MalformedEnvelopeException {
        at++;
        skipSpaces();
        if (at < end && bytes[at] == ']') {
            at++;
            return List.of();
        }
        List<String> found = new ArrayList<>(4);
        while (true) {
            if (at == end) {
                throw error("found no closing ], expected the list to end on its line");
            }
            found.add(scalar(true));
            skipSpaces();
            int separator = at < end ? bytes[at] : 0;
            if (separator == ']') {
                at++;
                return List.copyOf(found);
            }
            if (separator != ',') {
                throw error(
                        "found no , or ] after a list item, expected the list to end on its line");
            }
            at++;
            skipSpaces();
        }
    }

    private String scalar(boolean inList) throws MalformedEnvelopeException {
        return switch (bytes[at]) {
            case '"' -> doubleQuoted();
            case '\'' -> singleQuoted();
            default -> plain(inList);
        };
    }

    private String plain(boolean inList) throws MalformedEnvelopeException {
        checkPlainStart(inList);
        int start = at;
        while (true) {
            at = inList ? nextInList() : packed.nextColonOrSharp(at, end);
            if (at == end || endsPlain(inList)) {
                break;
            }
            at++;
        }
        int last = at;
        while (bytes[last - 1] == ' ') {
            last--;
        }
        return text(start, last);
    }

    /// The next place at which a plain scalar in a list may end.
    private int nextInList() {
        int i = at;
        while (i < end && !ENDS_IN_LIST.contains(bytes[i])) {
            i++;
        }
        return i;
    }

    private String text(int from, int to) {
        return wanted ? lines.text(from, to) : "";
    }

    /// Whether the byte here is no longer part of a plain scalar. Fails where a YAML reader would
    /// stumble.
    private boolean endsPlain(boolean inList) throws MalformedEnvelopeException {
        int b = bytes[at];
        if (b == ':' && endsKey(at + 1, inList)) {
            throw error("found a colon and a space in a value, expected quotes around it");
        }
        if (inList && isFlowIndicator(b)) {
            if (b == ',' || b == ']') {
                return true;
            }
            throw error("found \"" + (char) b + "\" in a list item, expected quotes around it");
        }
        return b == '#' && bytes[at - 1] == ' ';
    }

    private void checkPlainStart(boolean inList) throws MalformedEnvelopeException {
        int first = bytes[at];
        if (!INDICATORS.contains(first)) {
            return;
        }
        boolean mayBegin = first == '-' || (!inList && (first == ':' || first == '?'));
        boolean wordFollows =
                at + 1 < end && bytes[at + 1] != ' ' && !(inList && isFlowIndicator(bytes[at + 1]));
        if (!mayBegin || !wordFollows) {
            throw error(
                    "found a value beginning with " + (char) first + ", expected quotes around it");
        }
    }

    /// Whether a colon before `next` would make a YAML reader take what is before it for a key.
    private boolean endsKey(int next, boolean inList) {
        return next == end || bytes[next] == ' ' || (inList && isFlowIndicator(bytes[next]));
    }

    private String singleQuoted() throws MalformedEnvelopeException {
        int start = ++at;
        boolean hasQuotes = false;
        while (at < end) {
            if (bytes[at] != '\'') {
                at++;
            } else if (at + 1 < end && bytes[at + 1] == '\'') {
                hasQuotes = true;
                at += 2;
            } else {
                String text = text(start, at);
                at++;
                return hasQuotes ? text.replace("''", "'") : text;
            }
        }
        throw unclosedQuote();
    }

    private String doubleQuoted() throws MalformedEnvelopeException {
        int start = ++at;
        while (at < end && bytes[at] != '"' && bytes[at] != '\\') {
            at++;
        }
        String text = text(start, at);
        if (at < end && bytes[at] == '\\') {
            text = text + afterEscapes();
        }
        if (at == end) {
            throw unclosedQuote();
        }
        at++;
        return text;
    }

    /// What follows the first escape of a quoted text; stops at the closing quote or the end.
    private StringBuilder afterEscapes() throws MalformedEnvelopeException {
        StringBuilder text = new StringBuilder();
        int start = at;
        while (at < end && bytes[at] != '"') {
            if (bytes[at] == '\\') {
                text.append(text(start, at));
                text.appendCodePoint(escaped());
                start = at;
            } else {
                at++;
            }
        }
        return text.append(text(start, at));
    }

    /// The character that the escape at this place stands for; moves behind it.
    private int escaped() throws MalformedEnvelopeException {
        int backslash = at;
        int kind = at + 1 < end ? bytes[at + 1] : 0;
        at += 2;
        int codePoint =
                switch (kind) {
                    case '\\', '"', '/' -> kind;
                    case 't' -> '\t';
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case 'x' -> hex(2);
                    case 'u' -> unicode();
                    default -> {
                        at = backslash;
                        throw error(
                                "found an unknown escape, expected one of \\\\ \\\" \\/ \\xXX"
                                        + " \\uXXXX");
                    }
                };
        if (!HeaderChars.isAllowed(codePoint)) {
            at = backslash;
            throw error(
                    "found an escape for "
                            + HeaderChars.describe(codePoint)
                            + ", expected printable characters only");
        }
        return codePoint;
    }

    /// The code point of `uXXXX`, or of two of them that are a surrogate pair, as JSON writes what
    /// lies above U+FFFF.
    private int unicode() throws MalformedEnvelopeException {
        int first = hex(4);
        boolean pairMayFollow =
                Character.isHighSurrogate((char) first)
                        && at + 1 < end
                        && bytes[at] == '\\'
                        && bytes[at + 1] == 'u';
        if (!pairMayFollow) {
            return first;
        }
        int behindFirst = at;
        at += 2;
        int second = hex(4);
        if (Character.isLowSurrogate((char) second)) {
            return Character.toCodePoint((char) first, (char) second);
        }
        at = behindFirst;
        return first;
    }

    private int hex(int digits) throws MalformedEnvelopeException {
        int value = 0;
        for (int i = 0; i < digits; i++) {
            int digit = at < end ? Character.digit((char) (bytes[at] & 0xFF), 16) : -1;
            if (digit < 0) {
                throw error(
                        "found an escape that is cut short, expected "
                                + digits
                                + " hexadecimal digits");
            }
            value = value << 4 | digit;
            at++;
        }
        return value;
    }

    /// After a value there may be spaces, and a comment with a space before it.
    private void expectEnd() throws MalformedEnvelopeException {
        boolean spaced = at == end || bytes[at] == ' ' || bytes[at - 1] == ' ';
        skipSpaces();
        if (at < end && !(spaced && bytes[at] == '#')) {
            throw error("found more text after the value, expected the end of the line");
        }
    }

    private void skipSpaces() {
        while (at < end && bytes[at] == ' ') {
            at++;
        }
    }

    private static boolean isFlowIndicator(int b) {
        return b == ',' || b == '[' || b == ']' || b == '{' || b == '}';
    }

    private MalformedEnvelopeException unclosedQuote() {
        return error("found no closing quote, expected the value to end on its line");
    }

    private MalformedEnvelopeException error(String problem) {
        return lines.error(key, at, problem);
    }
}
