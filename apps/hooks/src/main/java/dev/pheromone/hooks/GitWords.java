package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The arguments of one git command, taken apart: options, words before `--`, and paths after it.
final class GitWords {
    /// Long options without a value, after which a word is a word of its own.
    private static final Set<String> FLAGS =
            Set.of(
                    ("--cached --staged --stat --shortstat --numstat --name-only --name-status"
                         + " --summary --dirstat --color --no-color --patch --oneline --graph"
                         + " --follow --all --word-diff --color-words --minimal --patience"
                         + " --histogram --raw --reverse --ignore-all-space --ignore-space-change"
                         + " --ignore-blank-lines --exit-code --quiet --no-ext-diff --no-textconv"
                         + " --text --full-index --function-context --no-renames --find-renames"
                         + " --merge-base --first-parent --no-merges --merges --decorate"
                         + " --no-decorate --abbrev-commit --no-patch --check --ignore-case"
                         + " --line-number --files-with-matches --count --fixed-strings"
                         + " --word-regexp --extended-regexp --perl-regexp --untracked --no-index"
                         + " --force --ours --theirs --worktree --dry-run --verbose")
                            .split(" "));

    private final List<Shape> before = new ArrayList<>();
    private final List<Shape> after = new ArrayList<>();
    private final Set<String> options = new LinkedHashSet<>();
    private final Map<String, Shape> values = new HashMap<>();

    /// Words of which it is not known whether they are the value of the option before them.
    private final List<Shape> perhapsValues = new ArrayList<>();

    private boolean separated;

    /// Takes the arguments of `call` apart.
    ///
    /// @param valued the options whose value may stand in a word of its own
    GitWords(Invocation call, String valued) {
        Set<String> takingValues = Set.of(valued.split(" ", -1));
        List<Shape> arguments = call.arguments();
        boolean perhapsValue = false;
        for (int i = 0; i < arguments.size(); i++) {
            Shape word = arguments.get(i);
            Shape next = i + 1 < arguments.size() ? arguments.get(i + 1) : Shape.EMPTY;
            boolean follows = perhapsValue;
            perhapsValue = false;
            if (separated) {
                after.add(word);
            } else if (word.is("--")) {
                separated = true;
            } else if (word.startsWith("--")) {
                int sign = word.indexOf('=', 0);
                String name = (sign < 0 ? word : word.part(0, sign)).toString();
                options.add(name);
                if (sign >= 0) {
                    values.put(name, word.from(sign + 1));
                } else if (takingValues.contains(name)) {
                    values.put(name, next);
                    i++;
                } else {
                    perhapsValue = !FLAGS.contains(name);
                }
            } else if (word.startsWith("-") && word.length() > 1) {
                i += letters(word, next, takingValues);
            } else {
                before.add(word);
                if (follows) {
                    perhapsValues.add(word);
                }
            }
        }
    }

    /// Reads a cluster of letters; the answer is how many further words belong to it.
    private int letters(Shape word, Shape next, Set<String> takingValues) {
        for (int i = 1; i < word.length(); i++) {
            String name = word.at(i) < 0 ? "-" : "-" + Character.toString(word.at(i));
            options.add(name);
            if (takingValues.contains(name)) {
                boolean glued = i + 1 < word.length();
                values.put(name, glued ? word.from(i + 1) : next);
                return glued ? 0 : 1;
            }
        }
        return 0;
    }

    /// The words before `--`: revisions, or paths too if there is no `--`.
    List<Shape> before() {
        return before;
    }

    /// The paths after `--`.
    List<Shape> after() {
        return after;
    }

    boolean isSeparated() {
        return separated;
    }

    /// All words that are no options.
    List<Shape> all() {
        var all = new ArrayList<>(before);
        all.addAll(after);
        return all;
    }

    /// Whether the word may belong to the option before it.
    boolean isPerhapsValue(Shape word) {
        return perhapsValues.contains(word);
    }

    /// Whether one of these options is there, written in full: for those that make it harmless.
    boolean has(String... names) {
        return List.of(names).stream().anyMatch(options::contains);
    }

    /// Whether one of these is there, perhaps cut short: for those that make it do more.
    boolean mayHave(String... names) {
        if (before.stream().anyMatch(GitWords::mayBeAnOption)) {
            return true;
        }
        for (String option : options) {
            for (String name : names) {
                boolean cut =
                        option.length() > 2 && option.startsWith("--") && name.startsWith(option);
                if (option.equals(name) || cut) {
                    return true;
                }
            }
        }
        return false;
    }

    /// A word of which not even the first sign is known.
    private static boolean mayBeAnOption(Shape word) {
        return word.startsWithGap() && !word.toString().contains("..");
    }

    /// What all options are given but these.
    List<Shape> valuesExcept(Set<String> names) {
        return values.entrySet().stream()
                .filter(entry -> !names.contains(entry.getKey()) && !entry.getValue().hasGap())
                .map(Map.Entry::getValue)
                .toList();
    }

    /// What these options are given, in whatever spelling.
    List<Shape> values(String... names) {
        var found = new ArrayList<Shape>();
        values.forEach((option, value) -> {
            for (String name : names) {
                if (option.equals(name) || (option.length() > 3 && name.startsWith(option))) {
                    found.add(value);
                }
            }
        });
        return found;
    }
}
