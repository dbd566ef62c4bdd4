package dev.pheromone.cli;

import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.UsageException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// What other programs call our commands. Typed here, the right one is named.
final class Synonyms {

    private Synonyms() {}

    /// What to type instead of the word at `index`, or null if it is nobody's word for a command.
    static @Nullable UsageException explain(CommandLine line, int index) {
        String typed = line.words().get(index);
        String meant =
                switch (typed) {
                    case "list", "ls", "mail", "messages" -> "inbox";
                    case "show", "cat", "view", "open" -> "read";
                    case "take", "next", "claim", "get", "pull", "receive" -> "select";
                    case "done", "finish", "complete", "close", "dismiss" -> "ack";
                    case "post", "msg", "message", "tell", "push" -> "send";
                    case "answer" -> "reply";
                    case "signal", "mark" -> "drop";
                    case "freeze" -> "lock hive";
                    case "unfreeze", "thaw" -> "unlock hive";
                    case "history" -> "trace";
                    case "find", "grep" -> "search";
                    case "events", "tail" -> "log";
                    case "ps", "info", "whoami" -> "status";
                    case "version" -> "--version";
                    default -> null;
                };
        if (meant == null) {
            return null;
        }
        List<String> words = new ArrayList<>(line.words());
        words.remove(index);
        words.addAll(index, List.of(meant.split(" ", -1)));
        if (meant.equals("ack")) {
            int place = index + 1;
            if (words.size() == place) {
                words.add("ID");
            }
            words.add(place + 1, "done");
        }
        return new UsageException(
                "unknown command \"" + typed + "\"",
                "that is rsm " + meant + (meant.equals("ack") ? " ID done:" : ":"),
                new CommandLine(words).toString());
    }
}
