package dev.pheromone.file.setup;

import java.nio.file.Path;
import java.util.regex.Pattern;

/// A path as a shell takes it for one word, for commands that people copy from a message.
public final class ShellWord {

    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_./:+@%=,-]+");

    private ShellWord() {}

    public static String of(Path path) {
        String text = path.toString();
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
