package dev.pheromone.redaction;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Reads a file of rules: lines `key: value`, where a value runs to the end of its line and needs
/// no quotes, so that a pattern stands there as it is.
///
/// `rule: ID` begins a rule; the lines up to the next one belong to it. Before the first one stand
/// `off: ID` and `allow: PATTERN`, which concern all rules. Empty lines and lines that begin with
/// `#` say nothing. Whatever else is there is an error.
final class RulesText {

    /// Rules are written by hand; more than this is a mistake.
    static final int LENGTH_MAX = 256 * 1024;

    static final int RULES_MAX = 1_000;

    private static final java.util.regex.Pattern NAME =
            java.util.regex.Pattern.compile("[a-z][a-z0-9-]{0,39}");

    private final String file;
    private final Map<String, Rule> rules = new LinkedHashMap<>();
    private final Map<String, Integer> off = new LinkedHashMap<>();
    private final List<Pattern> allow = new ArrayList<>();
    private @Nullable Draft draft;
    private int line;

    private RulesText(String file) {
        this.file = file;
    }

    /// What a file says.
    ///
    /// @param off the rules that it switches off, with the line that does
    /// @param allow what is harmless to every rule that looks at one line
    record Content(
            String file, Map<String, Rule> rules, Map<String, Integer> off, List<Pattern> allow) {}

    /// Reads `text`; `file` is its name for errors.
    static Content parse(String file, String text) throws MalformedRulesException {
        RulesText reader = new RulesText(file);
        if (text.length() > LENGTH_MAX) {
            throw reader.problem(
                    "found %d characters, expected at most %d"
                            .formatted(text.length(), LENGTH_MAX));
        }
        for (String line : text.split("\r\n|\n|\r", -1)) {
            reader.line++;
            reader.read(line.strip());
        }
        reader.finishRule();
        return new Content(file, reader.rules, reader.off, reader.allow);
    }

    private void read(String text) throws MalformedRulesException {
        if (text.isEmpty() || text.startsWith("#")) {
            return;
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw problem("found no colon, expected key: value");
        }
        String key = text.substring(0, colon).strip();
        String value = text.substring(colon + 1).strip();
        if (value.isEmpty()) {
            throw problem(key + ": found nothing, expected a value");
        }
        try {
            if (key.equals("rule")) {
                finishRule();
                draft = new Draft(name(value), line);
            } else if (draft == null) {
                readBeforeRules(key, value);
            } else {
                draft.read(key, value);
            }
        } catch (PatternSyntaxException e) {
            // Its own message would repeat the pattern, which stands in the line already.
            throw problem(
                    key + ": found " + e.getDescription() + ", expected a pattern as RE2 has them");
        } catch (IllegalArgumentException e) {
            throw problem(key + ": " + e.getMessage());
        }
    }

    private void readBeforeRules(String key, String value) throws MalformedRulesException {
        switch (key) {
            case "off" -> off.putIfAbsent(name(value), line);
            case "allow" -> allow.add(Pattern.compile(value));
            default ->
                    throw problem(
                            "found unknown key \""
                                    + key
                                    + "\" before the first rule, expected rule, off or allow");
        }
    }

    private void finishRule() throws MalformedRulesException {
        Draft finished = draft;
        if (finished == null) {
            return;
        }
        if (finished.pattern == null && finished.words == null) {
            throw new MalformedRulesException(
                    file,
                    finished.line,
                    "rule " + finished.id + ": found no pattern, expected one");
        }
        if (rules.put(finished.id, finished.toRule()) != null) {
            throw new MalformedRulesException(
                    file,
                    finished.line,
                    "rule: found " + finished.id + " a second time, expected once");
        }
        if (rules.size() > RULES_MAX) {
            throw problem("found more than " + RULES_MAX + " rules, expected at most that");
        }
    }

    private MalformedRulesException problem(String problem) {
        return new MalformedRulesException(file, Math.max(line, 1), problem);
    }

    private static String name(String value) {
        if (!NAME.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "found \""
                            + value
                            + "\", expected lower-case letters, digits and dashes, at most 40");
        }
        return value;
    }

    /// A rule whose lines are being read.
    private static final class Draft {

        private static final double ENTROPY_MAX = 8;

        private final String id;
        private final int line;
        private final List<String> keywords = new ArrayList<>();
        private final List<Pattern> allow = new ArrayList<>();
        private @Nullable String kind;
        private @Nullable Pattern pattern;
        private @Nullable WordList words;
        private @Nullable Double entropy;
        private @Nullable Checksum check;
        private boolean manyLines;
        private boolean teachesUsers;

        Draft(String id, int line) {
            this.id = id;
            this.line = line;
        }

        void read(String key, String value) {
            switch (key) {
                case "kind" -> kind = once(kind, name(value));
                case "keywords" ->
                        keywords.addAll(List.of(value.toLowerCase(Locale.ROOT).split("\\s+")));
                case "pattern" -> pattern = once(either(words, pattern), Pattern.compile(value));
                case "words" -> words = once(either(pattern, words), WordList.parse(value));
                case "entropy" -> entropy = once(entropy, number(value));
                case "check" -> check = once(check, Checksum.parse(value));
                case "allow" -> allow.add(Pattern.compile(value));
                case "lines" -> manyLines = is(value, "many");
                case "teaches" -> teachesUsers = is(value, "users");
                default ->
                        throw new IllegalArgumentException(
                                "found an unknown key in rule "
                                        + id
                                        + ", expected kind, keywords, pattern, words, entropy,"
                                        + " check, allow, lines or teaches");
            }
        }

        Rule toRule() {
            return new Rule(
                    id,
                    kind == null ? id : kind,
                    keywords,
                    pattern,
                    words,
                    manyLines,
                    teachesUsers,
                    entropy == null ? 0 : entropy,
                    check,
                    allow);
        }

        private static <T> T once(@Nullable Object before, T value) {
            if (before != null) {
                throw new IllegalArgumentException("found a second one, expected one");
            }
            return value;
        }

        private static @Nullable Object either(@Nullable Object other, @Nullable Object same) {
            return other == null ? same : other;
        }

        private static boolean is(String value, String expected) {
            if (!value.equals(expected)) {
                throw new IllegalArgumentException(
                        "found \"" + value + "\", expected " + expected + ", or no such line");
            }
            return true;
        }

        private static double number(String value) {
            double number;
            try {
                number = Double.parseDouble(value);
            } catch (NumberFormatException e) {
                number = Double.NaN;
            }
            if (!(number > 0 && number <= ENTROPY_MAX)) {
                throw new IllegalArgumentException(
                        "found \"" + value + "\", expected bits a character, above 0 to 8");
            }
            return number;
        }
    }
}
