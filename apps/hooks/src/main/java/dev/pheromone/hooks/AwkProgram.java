package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Looks through an awk program for what reaches beyond its input.
final class AwkProgram {
    /// Stands where a literal was.
    private static final char HOLE = '\u00a7';

    /// Longer programs are not looked at closely: it takes time.
    private static final int LENGTH_MAX = 8_000;

    private static final Pattern REACHES =
            Pattern.compile(
                    "getline|system|(?<!\\|)\\|(?!\\|)|ENVIRON|ARGV|@|\\bprintf?\\b[^;}\\n]*>");

    /// Printing to the file that one literal names, and no more than that.
    private static final Pattern WRITES_LITERAL =
            Pattern.compile("\\bprintf?\\b[^;}\\n>|]*>>?\\s*" + HOLE + "(?=\\s*(?:[;}\\n]|$))");

    /// Words after which no division can stand.
    private static final Set<String> BEFORE_PATTERNS =
            Set.of("print", "printf", "return", "in", "else", "do", "case");

    private final String text;
    private final StringBuilder code = new StringBuilder();
    private final List<String> literals = new ArrayList<>();
    private int at;

    private AwkProgram(String text) {
        this.text = text;
    }

    static void follow(Invocation call, Shape program) throws ShellSyntaxException {
        if (!program.isPlain()) {
            call.doubt("its program is known only when it runs");
            return;
        }
        var awk = new AwkProgram(program.toString());
        if (program.length() > LENGTH_MAX || !awk.read()) {
            LastNet.note(call, program);
            call.doubt("its program is not understood");
            return;
        }
        String code = awk.code.toString();
        Matcher writes = WRITES_LITERAL.matcher(code);
        while (writes.find()) {
            long before =
                    code.substring(0, writes.end() - 1).chars().filter(c -> c == HOLE).count();
            Shape file = Shape.of(awk.literals.get((int) before));
            call.touch(file, Set.of(Access.WRITE, Access.ERASE), Extent.PATH);
        }
        if (REACHES.matcher(writes.replaceAll("print")).find()) {
            call.doubt("its program reaches for other files");
        }
    }

    /// Takes literals, patterns and comments out; false if something is not understood.
    private boolean read() {
        while (at < text.length()) {
            char c = text.charAt(at);
            boolean understood = true;
            switch (c) {
                case HOLE -> understood = false;
                case '"' -> understood = literal();
                case '#' -> at = endOfLine();
                case '/' -> understood = slash();
                case '\\' -> {
                    // Joins lines; the one behind it is no end.
                    at += 2;
                    code.append(' ');
                }
                default -> {
                    code.append(c);
                    at++;
                }
            }
            if (!understood) {
                return false;
            }
        }
        return true;
    }

    private boolean literal() {
        var value = new StringBuilder();
        for (int i = at + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                literals.add(value.toString());
                code.append(HOLE);
                at = i + 1;
                return true;
            }
            if (c == '\n') {
                return false;
            }
            value.append(c);
            if (c == '\\' && i + 1 < text.length()) {
                value.append(text.charAt(++i));
            }
        }
        return false;
    }

    /// A division, or a pattern up to the next slash.
    private boolean slash() {
        String before = code.toString().stripTrailing();
        char last = before.isEmpty() ? '\n' : before.charAt(before.length() - 1);
        boolean lineBegins = code.toString().endsWith("\n");
        int word = before.length();
        while (word > 0 && Character.isJavaIdentifierPart(before.charAt(word - 1))) {
            word--;
        }
        boolean operand =
                !lineBegins
                        && (Character.isLetterOrDigit(last)
                                || "_)]$".indexOf(last) >= 0
                                || last == HOLE)
                        && !BEFORE_PATTERNS.contains(before.substring(word));
        if (operand || before.endsWith("++") || before.endsWith("--")) {
            String line = text.substring(at, endOfLine());
            code.append('/');
            at++;
            // Behind a condition in brackets a pattern could stand, and hide quotes.
            boolean hides = line.indexOf('"') >= 0 || line.indexOf('#') >= 0;
            return !hides || (last != ')' && last != '+' && last != '-');
        }
        return pattern();
    }

    private boolean pattern() {
        boolean set = false;
        for (int i = at + 1; i < text.length() && text.charAt(i) != '\n'; i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '/' && set) {
                // Some take it for the end.
                return false;
            } else if (c == '/') {
                at = i + 1;
                code.append(HOLE);
                literals.add("");
                return true;
            } else if (c == '[' || c == ']') {
                set = c == '[';
            }
        }
        return false;
    }

    private int endOfLine() {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end;
    }
}
