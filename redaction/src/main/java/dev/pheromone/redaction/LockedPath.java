package dev.pheromone.redaction;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import java.util.ArrayList;
import java.util.List;

/// A path that nobody may read, as a lock list names it, turned into expressions that find mentions
/// of it.
///
/// A mention is the path, with whatever folders stand before it and whatever lies in it. The file's
/// name alone counts too if it has no wildcard and is no ordinary word: of `src/*.md` it would be
/// every page there is, of `src/keys` every key that anybody speaks of.
final class LockedPath {

    /// What a path in running text is made of.
    private static final String IN_PATH = "[^\\s\"'`<>|()\\[\\]{},;:]";

    /// The same within one folder.
    private static final String IN_NAME = "[^\\s\"'`<>|()\\[\\]{},;:/\\\\]";

    private static final String SLASH = "[/\\\\]";
    private static final String BEFORE = "(?:^|[^\\pL\\pN._-])(";
    private static final String FOLDERS = "(?:" + IN_PATH + "*" + SLASH + ")?";
    private static final String BELOW = "(?:" + SLASH + IN_NAME + "+)*" + SLASH + "?";
    private static final String AFTER = ")(?:$|[^\\pL\\pN_-])";

    private static final java.util.regex.Pattern WORD = java.util.regex.Pattern.compile("\\pL+");

    private LockedPath() {}

    /// Expressions that find mentions of any of `paths`; the first group that takes part is it.
    static List<String> expressions(List<String> paths) {
        List<String> expressions = new ArrayList<>();
        for (String path : paths) {
            String relative = path.replaceFirst("^(?:\\./|/|\\*\\*/)+", "").replaceFirst("/+$", "");
            if (relative.replaceAll("[*?/]", "").isEmpty()) {
                // Everything is locked: then nothing of it has a name of its own to hide.
                continue;
            }
            String glob = translated(relative);
            String name = relative.substring(relative.lastIndexOf('/') + 1);
            if (!WORD.matcher(relative).matches()) {
                expressions.add(BEFORE + FOLDERS + glob + BELOW + AFTER);
            } else {
                expressions.add(BEFORE + FOLDERS + glob + SLASH + IN_PATH + "*" + AFTER);
            }
            boolean isPlain = name.matches("[^*?\\[\\]{}\\\\]+");
            if (isPlain && !WORD.matcher(name).matches() && !name.equals(relative)) {
                expressions.add(BEFORE + Pattern.quote(name) + AFTER);
            }
        }
        return expressions;
    }

    /// The expression for a glob; one that is malformed stands for its own text.
    private static String translated(String glob) {
        StringBuilder expression = new StringBuilder();
        int braces = 0;
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            switch (c) {
                case '*' -> {
                    boolean isDeep = glob.startsWith("**", i);
                    expression.append(isDeep ? IN_PATH : IN_NAME).append('*');
                    i += isDeep ? 1 : 0;
                    if (isDeep && glob.startsWith("/", i + 1)) {
                        // No folder at all is some number of folders too.
                        expression.append(SLASH).append('?');
                        i++;
                    }
                }
                case '?' -> expression.append(IN_NAME);
                case '/' -> expression.append(SLASH);
                case '{' -> {
                    expression.append("(?:");
                    braces++;
                }
                case '}' -> {
                    expression.append(')');
                    braces--;
                }
                case ',' -> expression.append(braces > 0 ? '|' : ',');
                case '[' -> expression.append(glob.startsWith("[!", i) ? "[^" : "[");
                case ']', '-' -> expression.append(c);
                case '!' -> expression.append(i > 0 && glob.charAt(i - 1) == '[' ? "" : "!");
                case '\\' -> {
                    i = Math.min(i + 1, glob.length() - 1);
                    expression.append(Pattern.quote(glob.substring(i, i + 1)));
                }
                default -> expression.append(Pattern.quote(String.valueOf(c)));
            }
        }
        try {
            return "(?:" + Pattern.compile(expression.toString()).pattern() + ")";
        } catch (PatternSyntaxException e) {
            return Pattern.quote(glob);
        }
    }
}
