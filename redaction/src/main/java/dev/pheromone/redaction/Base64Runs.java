package dev.pheromone.redaction;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/// Stretches of a text that are another text in Base64, or in hexadecimal.
final class Base64Runs {

    /// Shorter ones are words.
    private static final int LENGTH_MIN = 16;

    /// One stretch of a view.
    ///
    /// @param decoded what it stands for
    record Run(int start, int end, String decoded) {}

    private Base64Runs() {}

    /// The stretches of `text` that stand for something people can read.
    static List<Run> in(String text) {
        List<Run> runs = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i < text.length() && isDigit(text.charAt(i))) {
                continue;
            }
            String decoded = i - start < LENGTH_MIN ? null : decoded(text.substring(start, i));
            if (decoded != null) {
                int end = i;
                while (end < text.length() && end < i + 2 && text.charAt(end) == '=') {
                    end++;
                }
                runs.add(new Run(start, end, decoded));
            }
            start = i + 1;
        }
        return runs;
    }

    private static boolean isDigit(char c) {
        return c < 0x80 && (Character.isLetterOrDigit(c) || "+/-_".indexOf(c) >= 0);
    }

    private static @Nullable String decoded(String run) {
        try {
            String text = new String(bytes(run), StandardCharsets.ISO_8859_1);
            return text.chars().allMatch(Base64Runs::isReadable) ? text : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static byte[] bytes(String run) {
        boolean isHex = run.length() % 2 == 0 && run.chars().allMatch(HexFormat::isHexDigit);
        return isHex
                ? HexFormat.of().parseHex(run)
                : Base64.getDecoder().decode(run.replace('-', '+').replace('_', '/'));
    }

    private static boolean isReadable(int c) {
        return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
    }
}
