package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.regex.Pattern;

/// Commands in texts that an agent program runs when it reads the text: skills and commands of its
/// user. The program runs them by itself, and asks no hook.
final class InlineCommands {
    /// Where Claude Code, Gemini CLI and OpenCode look for such texts, in a project or at home.
    private static final Pattern PLACE =
            Pattern.compile(
                    "(?s)(?:.*/)?\\.(?:claude/(?:skills|commands)|gemini/commands"
                            + "|opencode/commands?)(?:/.*)?"
                            + "|(?:.*/)?\\.config/opencode/commands?(?:/.*)?");

    /// An exclamation mark before what is run: in backquotes, a block of code, or braces. Blanks
    /// between the two may go in another edit.
    private static final Pattern COMMAND = Pattern.compile("!\\s*[`{]|```\\s*!");

    private InlineCommands() {}

    /// Whether a program may run what stands in a file of this name.
    static boolean isRead(String path) {
        return PLACE.matcher(path).matches();
    }

    /// Whether commands stand in a text; in one that is not known, there may be some.
    static boolean areIn(@Nullable String text) {
        return text == null || COMMAND.matcher(text).find();
    }
}
