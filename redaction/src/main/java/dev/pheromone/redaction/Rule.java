package dev.pheromone.redaction;

import com.google.re2j.Pattern;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// One thing to look for.
///
/// @param kind what stands in the mark
/// @param keywords in lower case; a line without any of them is not searched
/// @param pattern what to find; its first group that takes part is the secret, else all of it
/// @param words a list that is looked for; the pattern is made of it
/// @param manyLines whether the pattern sees the whole text, not one line at a time
/// @param teachesUsers whether what is found ends in a user's name
/// @param entropyMin bits a character below which it is no secret
/// @param check what tells it from others of its shape, or null
/// @param allow patterns that show a find to be harmless
record Rule(
        String id,
        String kind,
        List<String> keywords,
        @Nullable Pattern pattern,
        @Nullable WordList words,
        boolean manyLines,
        boolean teachesUsers,
        double entropyMin,
        @Nullable Checksum check,
        List<Pattern> allow) {

    Rule {
        keywords = List.copyOf(keywords);
        allow = List.copyOf(allow);
    }

    /// This rule with what `words` is for it, or null if that is nothing.
    @Nullable Rule lookingFor(PrivateWords given) {
        if (words == null) {
            return this;
        }
        Pattern found = WordPatterns.of(words, given);
        return found == null
                ? null
                : new Rule(
                        id,
                        kind,
                        keywords,
                        found,
                        words,
                        manyLines,
                        teachesUsers,
                        entropyMin,
                        check,
                        allow);
    }

    /// Whether a text in lower case could have it.
    boolean isWorthSearching(String lowerCase) {
        if (keywords.isEmpty()) {
            return true;
        }
        for (String keyword : keywords) {
            if (lowerCase.contains(keyword)) {
                return true;
            }
        }
        return false;
    }

    /// Whether what was found is harmless after all: too regular, or known to look like this.
    boolean isHarmless(String found) {
        if (entropyMin > 0 && Entropy.bitsPerCharacter(found) < entropyMin) {
            return true;
        }
        for (Pattern harmless : allow) {
            if (harmless.matcher(found).find()) {
                return true;
            }
        }
        return false;
    }
}
