package dev.pheromone.redaction;

import com.google.re2j.Pattern;

import java.util.ArrayList;
import java.util.List;

/// A path that nobody may read, as a lock list names it, turned into expressions that find mentions
/// of it.
///
/// A mention is the path with whatever folders stand before it, or the file's name alone if that
/// has no wildcard: of `src/*.md` a name alone would be every page there is.
final class LockedPath {

    /// What a path in running text is made of.
    private static final String IN_PATH = "[^\\s\"'`<>|()\\[\\]{},;]";

    /// The same within one folder.
    private static final String IN_NAME = "[^\\s\"'`<>|()\\[\\]{},;/\\\\]";

    private static final String BEFORE = "(?:^|[^\\pL\\pN._-])(";
    private static final String AFTER = ")(?:$|[^\\pL\\pN_-])";
    private static final String SLASH = "[/\\\\]";

    /// A name that is shorter would be found everywhere.
    private static final int NAME_LENGTH_MIN = 3;

    private LockedPath() {}

    /// Expressions that find mentions of any of `paths`; the first group that takes part is it.
    static List<String> expressions(List<String> paths) {
        List<String> expressions = new ArrayList<>();
        for (String path : paths) {
            String relative = path.replaceFirst("^(?:\\./|/|\\*\\*/)+", "");
            if (relative.replaceAll("[*?/]", "").isEmpty()) {
                // Everything is locked: then nothing of it has a name of its own to hide.
                continue;
            }
            expressions.add(
                    BEFORE + "(?:" + IN_PATH + "*" + SLASH + ")?" + translated(relative) + AFTER);
            String name = relative.substring(relative.lastIndexOf('/') + 1);
            boolean isPlain = name.indexOf('*') < 0 && name.indexOf('?') < 0;
            if (isPlain && name.length() >= NAME_LENGTH_MIN && !name.equals(relative)) {
                expressions.add(BEFORE + translated(name) + AFTER);
            }
        }
        return expressions;
    }

    private static String translated(String glob) {
        StringBuilder expression = new StringBuilder();
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            switch (c) {
                case '*' -> {
                    boolean isDeep = glob.startsWith("**", i);
                    expression.append(isDeep ? IN_PATH : IN_NAME).append('*');
                    i += isDeep ? 1 : 0;
                }
                case '?' -> expression.append(IN_NAME);
                case '/' -> expression.append(SLASH);
                default -> expression.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return expression.toString();
    }
}
