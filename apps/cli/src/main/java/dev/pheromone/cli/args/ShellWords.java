package dev.pheromone.cli.args;

import java.util.List;

/// Words as a POSIX shell reads them: commands in hints can be copied and run.
public final class ShellWords {

    private static final String PLAIN = "-_./:@%+=,";

    private ShellWords() {}

    public static String join(List<String> words) {
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            if (!line.isEmpty()) {
                line.append(' ');
            }
            line.append(quote(word));
        }
        return line.toString();
    }

    /// `word` bare where that is safe, in double quotes where nothing in it is special there, else
    /// in single quotes.
    public static String quote(String word) {
        boolean plain = !word.isEmpty();
        boolean special = false;
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            plain &= Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0;
            special |= c == '"' || c == '$' || c == '`' || c == '\\' || c == '!';
        }
        if (plain) {
            return word;
        }
        return special ? "'" + word.replace("'", "'\\''") + "'" : '"' + word + '"';
    }
}
