package dev.pheromone.cli.args;

import java.util.ArrayList;
import java.util.List;

/// The words that were typed after `rsm`, from which hints make the words that should have been.
public record CommandLine(List<String> words) {

    public CommandLine {
        words = List.copyOf(words);
    }

    /// This line with another word at `index`.
    public CommandLine with(int index, String word) {
        List<String> corrected = new ArrayList<>(words);
        corrected.set(index, word);
        return new CommandLine(corrected);
    }

    /// This line with `meant` for each word `typed`, and for each `--option=typed`.
    public CommandLine replacing(String typed, String meant) {
        List<String> corrected = new ArrayList<>();
        for (String word : words) {
            if (word.equals(typed)) {
                corrected.add(meant);
            } else if (word.startsWith("--") && word.endsWith("=" + typed)) {
                corrected.add(word.substring(0, word.length() - typed.length()) + meant);
            } else {
                corrected.add(word);
            }
        }
        return new CommandLine(corrected);
    }

    /// This line with more words at its end.
    public CommandLine plus(String... more) {
        List<String> longer = new ArrayList<>(words);
        longer.addAll(List.of(more));
        return new CommandLine(longer);
    }

    /// The whole command, quoted so that a shell reads it back.
    @Override
    public String toString() {
        return words.isEmpty() ? "rsm" : "rsm " + ShellWords.join(words);
    }
}
