package dev.pheromone.envelope;

import dev.pheromone.address.Address;
import dev.pheromone.text.HeaderChars;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What the header of a question says: which answers count, who is asked, and what holds if nobody
/// answers in time.
///
/// @param choices the answers to choose from; none if any text will do
/// @param free whether another text is an answer, too
/// @param fallback what holds at the end without an answer; null if nothing does
/// @param deadline the end, if it is before the end of the question's own life; null if it is not
/// @param of who is asked; nobody here means everybody in the question's `to`
public record Ask(
        List<String> choices,
        boolean free,
        @Nullable String fallback,
        @Nullable Instant deadline,
        List<Address> of) {

    /// As many as a person reads before choosing.
    public static final int CHOICES_MAX = 16;

    /// How many characters a choice has at most: choices are shown in one line.
    public static final int CHOICE_LENGTH_MAX = 100;

    /// How many characters an answer has at most; a longer text stands in the body.
    public static final int ANSWER_LENGTH_MAX = 256;

    /// The one default that permits nothing.
    private static final String REFUSAL = "no";

    public Ask {
        choices = List.copyOf(choices);
        of = List.copyOf(of);
        if (choices.isEmpty() && !free) {
            throw new IllegalArgumentException(
                    "found no choice, expected at least one, or ask_free: true");
        }
        if (choices.size() > CHOICES_MAX) {
            throw new IllegalArgumentException(
                    "found %d choices, expected at most %d".formatted(choices.size(), CHOICES_MAX));
        }
        for (int i = 0; i < choices.size(); i++) {
            String choice = parseChoice(choices.get(i));
            for (String earlier : choices.subList(0, i)) {
                if (isSpelledLike(choice, earlier)) {
                    throw new IllegalArgumentException(
                            "found choice \"%s\" twice, expected each once".formatted(choice));
                }
            }
        }
        if (fallback != null && !free && !choices.contains(fallback)) {
            throw new IllegalArgumentException(
                    "found default \"%s\", expected one of the choices".formatted(fallback));
        }
    }

    static String parseChoice(String text) {
        return checked(text, CHOICE_LENGTH_MAX);
    }

    /// The text of an answer; fails on an empty or a very long one.
    public static String parseAnswer(String text) {
        return checked(text, ANSWER_LENGTH_MAX);
    }

    private static String checked(String text, int lengthMax) {
        int length = text.codePointCount(0, text.length());
        if (HeaderChars.isOnlySpaces(text) || length > lengthMax) {
            throw new IllegalArgumentException(
                    "found %d characters, expected 1 to %d, not all of them spaces"
                            .formatted(length, lengthMax));
        }
        return text;
    }

    static Boolean parseFree(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default ->
                    throw new IllegalArgumentException(
                            "found \"%s\", expected true or false".formatted(text));
        };
    }

    /// Whether `answer` is one that counts, letter by letter.
    public boolean allows(String answer) {
        return free || choices.contains(answer);
    }

    /// The answer that somebody means who typed `text`: a choice in any case of its letters, or the
    /// text itself where any will do; empty if it is neither.
    public Optional<String> meant(String text) {
        String said = text.strip();
        if (choices.contains(said)) {
            return Optional.of(said);
        }
        for (String choice : choices) {
            if (isSpelledLike(choice, said)) {
                return Optional.of(choice);
            }
        }
        boolean isText =
                free
                        && !said.isEmpty()
                        && said.codePointCount(0, said.length()) <= ANSWER_LENGTH_MAX;
        return isText ? Optional.of(said) : Optional.empty();
    }

    /// The same question with the default that somebody means who typed `text`; fails if that is no
    /// answer.
    public Ask withDefault(String text) {
        String answer =
                meant(text)
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        choices.isEmpty()
                                                ? "found %d characters, expected 1 to %d"
                                                        .formatted(
                                                                text.strip().length(),
                                                                ANSWER_LENGTH_MAX)
                                                : "found \"%s\", expected one of the choices"
                                                        .formatted(text)));
        return new Ask(choices, free, answer, deadline, of);
    }

    /// Whether silence would permit something: any default may, but for a plain `no`.
    public boolean permitsBySilence() {
        return fallback != null && !isSpelledLike(fallback, REFUSAL);
    }

    /// Compared without the case of ASCII letters: other alphabets fold differently from language
    /// to language.
    private static boolean isSpelledLike(String one, String other) {
        if (one.length() != other.length()) {
            return false;
        }
        for (int i = 0; i < one.length(); i++) {
            if (lower(one.charAt(i)) != lower(other.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    }
}
