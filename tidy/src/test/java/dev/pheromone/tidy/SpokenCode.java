package dev.pheromone.tidy;

/// Java text with comments and literals blanked out, line for line: what is left is what runs.
final class SpokenCode {
    private static final String TEXT_BLOCK = "\"\"\"";

    private final String text;
    private final StringBuilder code;
    private int at;

    private SpokenCode(String text) {
        this.text = text;
        this.code = new StringBuilder(text.length());
    }

    static String of(String text) {
        var spoken = new SpokenCode(text);
        while (spoken.at < text.length()) {
            spoken.step();
        }
        return spoken.code.toString();
    }

    private void step() {
        if (text.startsWith("//", at)) {
            blankTo(orEnd(text.indexOf('\n', at)));
        } else if (text.startsWith("/*", at)) {
            blankTo(after(text.indexOf("*/", at + 2), "*/"));
        } else if (text.startsWith(TEXT_BLOCK, at)) {
            blankTo(endOfLiteral(TEXT_BLOCK));
        } else if (text.charAt(at) == '"') {
            blankTo(endOfLiteral("\""));
        } else if (text.charAt(at) == '\'') {
            blankTo(endOfLiteral("'"));
        } else {
            code.append(text.charAt(at++));
        }
    }

    private int endOfLiteral(String quote) {
        int end = at + quote.length();
        while (end < text.length() && !text.startsWith(quote, end)) {
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        return Math.min(text.length(), end + quote.length());
    }

    private void blankTo(int end) {
        for (; at < end; at++) {
            code.append(text.charAt(at) == '\n' ? '\n' : ' ');
        }
    }

    private int after(int found, String mark) {
        return found < 0 ? text.length() : found + mark.length();
    }

    private int orEnd(int found) {
        return found < 0 ? text.length() : found;
    }
}
