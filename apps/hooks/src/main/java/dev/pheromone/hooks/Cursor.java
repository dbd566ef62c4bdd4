package dev.pheromone.hooks;

/// A place in a text, moved along by those who read it. Everyone who reads counts its depth here,
/// so that no nesting of any kind ends the stack.
final class Cursor {
    private static final int DEPTH_MAX = 48;

    final String text;
    int at;
    private int depth;

    Cursor(String text) {
        this(text, 0);
    }

    private Cursor(String text, int depth) {
        this.text = text;
        this.depth = depth;
    }

    /// A cursor for a text found inside this one, as deep as this.
    Cursor inside(String inner) {
        return new Cursor(inner, depth);
    }

    boolean atEnd() {
        return at >= text.length();
    }

    /// The character here, or 0 at the end.
    char peek() {
        return peek(0);
    }

    char peek(int ahead) {
        return at + ahead < text.length() ? text.charAt(at + ahead) : 0;
    }

    char next() throws ShellSyntaxException {
        if (atEnd()) {
            throw new ShellSyntaxException("it ends in the middle");
        }
        return text.charAt(at++);
    }

    boolean looksAt(String expected) {
        return text.startsWith(expected, at);
    }

    boolean take(String expected) {
        boolean here = looksAt(expected);
        at += here ? expected.length() : 0;
        return here;
    }

    void expect(String expected) throws ShellSyntaxException {
        if (!take(expected)) {
            throw new ShellSyntaxException("\"" + expected + "\" is missing");
        }
    }

    void enter() throws ShellSyntaxException {
        if (++depth > DEPTH_MAX) {
            throw new ShellSyntaxException("it is nested too deeply");
        }
    }

    void leave() {
        depth--;
    }

    /// Skips blanks, joined lines, and a comment if one begins here.
    void skipBlanks() {
        boolean moved = true;
        while (moved) {
            moved = false;
            while (peek() == ' ' || peek() == '\t' || peek() == '\r') {
                at++;
                moved = true;
            }
            moved |= take("\\\n");
        }
        if (peek() == '#' && !atEnd()) {
            int end = text.indexOf('\n', at);
            at = end < 0 ? text.length() : end;
        }
    }
}
