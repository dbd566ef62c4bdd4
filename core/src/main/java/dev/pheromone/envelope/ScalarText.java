package dev.pheromone.envelope;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/// How a value is written in a header: as it is where that is safe, else in double quotes.
///
/// Safe means: read back as the same text here, and taken for a text, not for a number or a truth
/// value, by a reader that guesses types.
final class ScalarText {

    private static final Set<String> NOT_TEXT_ELSEWHERE =
            Set.of("null", "true", "false", "yes", "no", "on", "off", "y", "n");

    private ScalarText() {}

    static String of(String value) {
        return isPlain(value) ? value : quoted(value);
    }

    static String ofList(List<?> values) {
        StringBuilder list = new StringBuilder("[");
        for (Object value : values) {
            list.append(list.length() == 1 ? "" : ", ").append(of(value.toString()));
        }
        return list.append(']').toString();
    }

    private static boolean isPlain(String value) {
        if (value.isEmpty() || !Character.isLetter(value.charAt(0)) || value.endsWith(" ")) {
            return false;
        }
        for (int i = 1; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean unsafe =
                    ",[]{}\"".indexOf(c) >= 0
                            || (c == '#' && value.charAt(i - 1) == ' ')
                            || (c == ':'
                                    && (i + 1 == value.length() || value.charAt(i + 1) == ' '));
            if (unsafe) {
                return false;
            }
        }
        return !NOT_TEXT_ELSEWHERE.contains(value.toLowerCase(Locale.ROOT));
    }

    private static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
