package dev.pheromone.disk;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// The two settings of a git repository that say where its main work tree is.
///
/// @param bare whether it says that there is none
/// @param workTree where it lies, if not around the repository
record GitConfig(boolean bare, Optional<String> workTree) {

    static final GitConfig EMPTY = new GitConfig(false, Optional.empty());

    /// These settings, with what `bytes`, a file in git's configuration format, say in their place.
    GitConfig with(byte[] bytes) {
        boolean nowBare = bare;
        Optional<String> nowWorkTree = workTree;
        boolean inCore = false;
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
            String text = line.strip();
            if (text.startsWith("[")) {
                inCore = text.toLowerCase(Locale.ROOT).startsWith("[core]");
                text = text.substring(text.indexOf(']') + 1).strip();
            }
            int equals = text.indexOf('=');
            String key = (equals < 0 ? text : text.substring(0, equals)).strip();
            String value = equals < 0 ? "true" : unquoted(text.substring(equals + 1).strip());
            if (inCore && key.equalsIgnoreCase("bare")) {
                nowBare = isTrue(value);
            } else if (inCore && key.equalsIgnoreCase("worktree")) {
                nowWorkTree = Optional.of(value);
            }
        }
        return new GitConfig(nowBare, nowWorkTree);
    }

    private static boolean isTrue(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on", "1" -> true;
            default -> false;
        };
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        String inner = quoted ? value.substring(1, value.length() - 1) : value;
        return inner.replace("\\\"", "\"").replace("\\\\", "\\");
    }
}
