package dev.pheromone.session.caller;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Consent;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.text.Json;

import java.util.ArrayList;
import java.util.List;

/// Lists as people say them.
public final class Phrase {

    private static final String TEAM = Consent.TEAM.toString();

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

    /// The fields of an event as `name=value`; that mail is the team's goes without saying.
    public static String fields(Json.Obj data) {
        List<String> fields = new ArrayList<>();
        boolean usual = data.optionalText(RseEvent.CONSENT).filter(TEAM::equals).isPresent();
        (usual ? data.without(RseEvent.CONSENT) : data)
                .forEach((name, value) ->
                        fields.add(
                                name
                                        + "="
                                        + (value instanceof Json.Str(var string) && isPlain(string)
                                                ? string
                                                : value.toString())));
        return String.join(" ", fields);
    }

    private static boolean isPlain(String text) {
        return !text.isEmpty()
                && text.indexOf(' ') < 0
                && text.indexOf('"') < 0
                && text.indexOf('=') < 0;
    }
}
