package dev.pheromone.redaction;

import com.google.re2j.Pattern;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Turns private words into patterns.
final class WordPatterns {

    /// What no letter or digit stands beside, so that `ada` is found in `ada-laptop` and not in
    /// `Canada`.
    private static final String BEFORE = "(?i)(?:^|[^\\pL\\pN])(";

    private static final String AFTER = ")(?:$|[^\\pL\\pN])";

    private WordPatterns() {}

    /// The pattern that finds the words of `list`, or null if there are none.
    static @Nullable Pattern of(WordList list, PrivateWords words) {
        return switch (list) {
            case USERS ->
                    pattern(BEFORE, quoted(words.users(), PrivateWords.USER_LENGTH_MIN), AFTER);
            case LOCKED -> pattern("(?i)", LockedPath.expressions(words.locked()), "");
            case SECRETS ->
                    pattern("(?i)(", quoted(words.secrets(), PrivateWords.SECRET_LENGTH_MIN), ")");
        };
    }

    private static @Nullable Pattern pattern(String before, List<String> choices, String after) {
        return choices.isEmpty()
                ? null
                : Pattern.compile(before + String.join("|", choices) + after);
    }

    /// The longest first: of two choices that fit, the first is taken.
    private static List<String> quoted(List<String> words, int lengthMin) {
        List<String> sorted = new ArrayList<>(words);
        sorted.sort(Comparator.comparingInt(String::length).reversed());
        return sorted.stream()
                .filter(word -> word.length() >= lengthMin)
                .distinct()
                .map(Pattern::quote)
                .toList();
    }
}
