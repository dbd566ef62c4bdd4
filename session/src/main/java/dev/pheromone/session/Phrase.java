package dev.pheromone.session;

import dev.pheromone.address.Domain;

import java.util.ArrayList;
import java.util.List;

/// Lists as people say them.
public final class Phrase {

    private Phrase() {}

    /// `a`, `a or b`, `a, b or c`.
    public static String or(List<String> words) {
        return joined(words, " or ");
    }

    /// `a`, `a and b`, `a, b and c`.
    public static String and(List<String> words) {
        return joined(words, " and ");
    }

    /// `1 message`, `3 messages`.
    public static String count(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /// The addresses of inboxes, or `none`.
    public static String addresses(List<Domain> domains) {
        List<String> addresses = new ArrayList<>();
        for (Domain domain : domains) {
            addresses.add(domain.address().toString());
        }
        return addresses.isEmpty() ? "none" : and(addresses);
    }

    private static String joined(List<String> words, String last) {
        StringBuilder phrase = new StringBuilder();
        for (int i = 0; i < words.size(); i++) {
            phrase.append(i == 0 ? "" : i == words.size() - 1 ? last : ", ").append(words.get(i));
        }
        return phrase.toString();
    }
}
