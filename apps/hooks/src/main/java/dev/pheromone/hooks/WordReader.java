package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Reads single words: quotes, escapes, and everything that begins with a dollar sign.
final class WordReader {
    /// Putting a word together costs the square of its parts.
    private static final int PARTS_MAX = 4_000;

    private static final String META = " \t\r\n;&|<>()";
    private static final String SPECIAL_NAMES = "@*#?-$!_";
    private static final Pattern NOT_ARITHMETIC =
            Pattern.compile("['\"\n\\\\]|(?<![0-9{$])#|[A-Za-z_.]\\w*\\s+[A-Za-z_./~]");

    private final Cursor cursor;

    WordReader(Cursor cursor) {
        this.cursor = cursor;
    }

    /// Reads the word that begins here; there must be one.
    Word read() throws ShellSyntaxException {
        var parts = new ArrayList<Word.Part>();
        if (cursor.looksAt("<(") || cursor.looksAt(">(")) {
            cursor.at += 2;
            parts.add(new Word.Pipe(body()));
        }
        readParts(parts, META);
        if (parts.size() > PARTS_MAX) {
            throw new ShellSyntaxException("a word has too many parts");
        }
        if (parts.isEmpty()) {
            throw new ShellSyntaxException(
                    cursor.atEnd() ? "it ends in the middle" : "\"" + cursor.peek() + "\" is here");
        }
        return new Word(parts);
    }

    /// The text of a here-document whose end is not quoted: like double quotes, which themselves
    /// mean nothing in it.
    static Word hereText(Cursor cursor) throws ShellSyntaxException {
        var parts = new ArrayList<Word.Part>();
        new WordReader(cursor).readQuoted(parts, (char) 0);
        return new Word(parts);
    }

    private void readParts(List<Word.Part> parts, String stops) throws ShellSyntaxException {
        var bare = new StringBuilder();
        while (!cursor.atEnd() && stops.indexOf(cursor.peek()) < 0) {
            char c = cursor.next();
            switch (c) {
                case '\\' -> {
                    if (cursor.atEnd()) {
                        // What is appended to the command would belong to the word.
                        throw new ShellSyntaxException("it ends in the middle");
                    } else if (!cursor.take("\n")) {
                        flush(bare, parts);
                        parts.add(new Word.Quoted(codePoint()));
                    }
                }
                case '\'' -> {
                    flush(bare, parts);
                    parts.add(new Word.Quoted(upTo('\'')));
                }
                case '"' -> {
                    flush(bare, parts);
                    // An empty pair of quotes is a word, too.
                    parts.add(new Word.Quoted(""));
                    readQuoted(parts, '"');
                }
                case '`', '$' -> {
                    flush(bare, parts);
                    // A quote after a dollar sign only says that the text may be translated.
                    if (c == '`' || cursor.peek() != '"') {
                        parts.add(expansion(c, false));
                    }
                }
                default -> bare.append(c);
            }
        }
        flush(bare, parts);
    }

    private static void flush(StringBuilder bare, List<Word.Part> parts) {
        if (!bare.isEmpty()) {
            parts.add(new Word.Bare(bare.toString()));
            bare.setLength(0);
        }
    }

    private String codePoint() throws ShellSyntaxException {
        char first = cursor.next();
        return Character.isHighSurrogate(first) && Character.isLowSurrogate(cursor.peek())
                ? "" + first + cursor.next()
                : String.valueOf(first);
    }

    private String upTo(char end) throws ShellSyntaxException {
        int close = cursor.text.indexOf(end, cursor.at);
        if (close < 0) {
            throw new ShellSyntaxException("a quote is not closed");
        }
        String inner = cursor.text.substring(cursor.at, close);
        cursor.at = close + 1;
        return inner;
    }

    /// Reads up to the closing quote, or up to the end of the text if `end` is 0.
    private void readQuoted(List<Word.Part> parts, char end) throws ShellSyntaxException {
        var text = new StringBuilder();
        while (true) {
            if (cursor.atEnd()) {
                if (end != 0) {
                    throw new ShellSyntaxException("a quote is not closed");
                }
                break;
            }
            char c = cursor.next();
            if (c == end) {
                break;
            }
            if (c == '\\' && !cursor.atEnd() && escapedInQuotes(cursor.peek(), end)) {
                char escaped = cursor.next();
                if (escaped != '\n') {
                    text.append(escaped);
                }
            } else if (c == '$' || c == '`') {
                parts.add(new Word.Quoted(text.toString()));
                text.setLength(0);
                parts.add(expansion(c, true));
            } else {
                text.append(c);
            }
        }
        parts.add(new Word.Quoted(text.toString()));
    }

    private static boolean escapedInQuotes(char c, char end) {
        return "$`\\\n".indexOf(c) >= 0 || c == end;
    }

    /// What a dollar sign or backtick, just read, begins.
    private Word.Part expansion(char first, boolean quoted) throws ShellSyntaxException {
        cursor.enter();
        try {
            if (first == '`') {
                return new Word.Substitution(backticks(quoted), quoted);
            }
            if (!quoted && cursor.take("'")) {
                return new Word.Quoted(AnsiText.read(cursor));
            }
            if (calculationBegins()) {
                return calculation();
            }
            if (cursor.take("(")) {
                return new Word.Substitution(body(), quoted);
            }
            if (cursor.take("[")) {
                throw new ShellSyntaxException("$[ ] is an old way to calculate");
            }
            return cursor.take("{") ? braced(quoted) : named(quoted);
        } finally {
            cursor.leave();
        }
    }

    private Word.Part named(boolean quoted) {
        int start = cursor.at;
        if (isNameStart(cursor.peek())) {
            while (isNamePart(cursor.peek())) {
                cursor.at++;
            }
        } else if (!cursor.atEnd()
                && (Character.isDigit(cursor.peek())
                        || SPECIAL_NAMES.indexOf(cursor.peek()) >= 0)) {
            cursor.at++;
        } else {
            return new Word.Quoted("$");
        }
        return new Word.Variable(
                cursor.text.substring(start, cursor.at), "", "", Word.EMPTY, quoted);
    }

    private Word.Part braced(boolean quoted) throws ShellSyntaxException {
        String prefix = "";
        if ((cursor.peek() == '#' || cursor.peek() == '!') && cursor.peek(1) != '}') {
            prefix = String.valueOf(cursor.next());
        }
        int start = cursor.at;
        if (isNameStart(cursor.peek())) {
            while (isNamePart(cursor.peek())) {
                cursor.at++;
            }
        } else if (Character.isDigit(cursor.peek())) {
            while (Character.isDigit(cursor.peek())) {
                cursor.at++;
            }
        } else if (!cursor.atEnd() && SPECIAL_NAMES.indexOf(cursor.peek()) >= 0) {
            cursor.at++;
        } else {
            throw new ShellSyntaxException("${ } has no name");
        }
        String name = cursor.text.substring(start, cursor.at);
        String index = "";
        var extra = new ArrayList<Word.Part>();
        if (cursor.take("[")) {
            int from = cursor.at;
            readParts(extra, "]");
            index = cursor.text.substring(from, cursor.at);
            cursor.expect("]");
        }
        int operatorStart = cursor.at;
        while (!cursor.atEnd() && ":-+=?%#/^,@".indexOf(cursor.peek()) >= 0) {
            cursor.at++;
        }
        String operator = prefix + cursor.text.substring(operatorStart, cursor.at);
        if (quoted) {
            readBracedOperand(extra);
        } else {
            readParts(extra, "}");
        }
        cursor.expect("}");
        return new Word.Variable(name, index, operator, new Word(extra), quoted);
    }

    /// Inside double quotes single quotes mean nothing, but a brace or a quote ends the operand.
    private void readBracedOperand(List<Word.Part> parts) throws ShellSyntaxException {
        var text = new StringBuilder();
        while (!cursor.atEnd() && cursor.peek() != '}') {
            char c = cursor.next();
            if (c == '\\' && !cursor.atEnd()) {
                text.append(cursor.next());
            } else if (c == '"') {
                readQuoted(parts, '"');
            } else if (c == '$' || c == '`') {
                parts.add(new Word.Quoted(text.toString()));
                text.setLength(0);
                parts.add(expansion(c, true));
            } else {
                text.append(c);
            }
        }
        parts.add(new Word.Quoted(text.toString()));
    }

    private ShellTree body() throws ShellSyntaxException {
        ShellTree body = new ShellParser(cursor).listUntilClosed();
        cursor.expect(")");
        return body;
    }

    private ShellTree backticks(boolean quoted) throws ShellSyntaxException {
        var inner = new StringBuilder();
        while (true) {
            char c = cursor.next();
            if (c == '`') {
                return new ShellParser(cursor.inside(inner.toString())).all();
            }
            boolean escaped =
                    c == '\\'
                            && ("$`\\".indexOf(cursor.peek()) >= 0
                                    || (quoted && cursor.peek() == '"'));
            inner.append(escaped ? cursor.next() : c);
        }
    }

    /// Whether `((` stands here and its `))` where a calculation would have it; otherwise it is a
    /// subshell in parentheses.
    boolean calculationBegins() {
        return cursor.looksAt("((") && endOfCalculation() > 0;
    }

    /// Reads `((…))`. What no calculation contains is refused: it would be a way to hide commands.
    Word.Calculation calculation() throws ShellSyntaxException {
        int end = endOfCalculation();
        String inner = cursor.text.substring(cursor.at + 2, end);
        if (NOT_ARITHMETIC.matcher(inner).find()) {
            throw new ShellSyntaxException("(( )) is not a plain calculation");
        }
        cursor.at = end + 2;
        return new Word.Calculation(inner, hereText(cursor.inside(inner)));
    }

    private int endOfCalculation() {
        int open = 0;
        for (int i = cursor.at + 2; i < cursor.text.length(); i++) {
            char c = cursor.text.charAt(i);
            if (c == '(') {
                open++;
            } else if (c == ')') {
                if (open == 0) {
                    return cursor.text.startsWith("))", i) ? i : -1;
                }
                open--;
            }
        }
        return -1;
    }

    /// Where the name that begins at `start` ends.
    static int nameEnd(String text, int start) {
        int end = start;
        if (start < text.length() && isNameStart(text.charAt(start))) {
            while (end < text.length() && isNamePart(text.charAt(end))) {
                end++;
            }
        }
        return end;
    }

    static boolean isName(String text) {
        return !text.isEmpty() && nameEnd(text, 0) == text.length();
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || (c >= '0' && c <= '9');
    }
}
