package dev.pheromone.mcp.hive;

import dev.pheromone.address.Address;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.text.Json;
import dev.pheromone.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The arguments of a call, which are what the tool's schema wants: only such parts of JSON Schema
/// as our own schemas use.
final class Arguments {

    private final Json.Obj given;

    private Arguments(Json.Obj given) {
        this.given = given;
    }

    /// `given`, if it fits `schema`.
    static Arguments of(Json.Obj schema, Json.Obj given) {
        Json.Obj known = schema.object("properties");
        for (String name : given.names()) {
            if (!known.has(name)) {
                ProblemException wrong =
                        wrong("no argument \"" + name + "\", expected " + Phrase.or(known.names()));
                List<String> nearest = Nearest.to(name, known.names());
                throw nearest.isEmpty()
                        ? wrong
                        : wrong.hint("did you mean " + Phrase.or(nearest) + "?");
            }
            requireFitting(name, known.object(name), given.get(name).orElse(Json.Null.NULL));
        }
        List<Json> required = schema.has("required") ? schema.list("required") : List.of();
        for (Json item : required) {
            if (item instanceof Json.Str(String name) && !given.has(name)) {
                throw wrong(name + ": missing");
            }
        }
        return new Arguments(given);
    }

    private static ProblemException wrong(String what) {
        return new ProblemException(Code.USAGE, what);
    }

    private static void requireFitting(String name, Json.Obj schema, Json value) {
        if (schema.has("enum")) {
            List<String> choices = new ArrayList<>();
            for (Json choice : schema.list("enum")) {
                choices.add(choice instanceof Json.Str(String word) ? word : choice.toString());
            }
            if (!(value instanceof Json.Str(String word)) || !choices.contains(word)) {
                throw wrong(name + ": expected " + Phrase.or(choices));
            }
            return;
        }
        boolean fits =
                switch (schema.text("type")) {
                    case "string" -> value instanceof Json.Str;
                    case "integer" ->
                            value instanceof Json.Num number
                                    && number.longValue().isPresent()
                                    && number.longValue().getAsLong() >= 0;
                    case "boolean" -> value instanceof Json.Bool;
                    default ->
                            value instanceof Json.Arr(List<Json> items)
                                    && items.stream().allMatch(Json.Str.class::isInstance);
                };
        if (!fits) {
            throw wrong(name + ": expected " + expected(schema.text("type")));
        }
    }

    private static String expected(String type) {
        return switch (type) {
            case "string" -> "a string";
            case "integer" -> "a whole number, 0 or more";
            case "boolean" -> "true or false";
            default -> "a list of strings";
        };
    }

    boolean has(String name) {
        return given.has(name);
    }

    @Nullable String text(String name) {
        return given.optionalText(name).orElse(null);
    }

    /// Whether this is said to be so.
    boolean flag(String name) {
        return given.has(name) && given.flag(name);
    }

    String required(String name) {
        return given.text(name);
    }

    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        if (given.has(name)) {
            for (Json item : given.list(name)) {
                texts.add(item instanceof Json.Str(String text) ? text : item.toString());
            }
        }
        return texts;
    }

    /// A number of things, at most `max`.
    int count(String name, int usual, int max) {
        return (int) Math.min(max, given.optionalNumber(name).orElse(usual));
    }

    @Nullable Duration duration(String name) {
        String text = text(name);
        try {
            return text == null ? null : Ttl.parseDuration(text);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(
                    Code.USAGE,
                    name + ": found \"" + text + "\", expected a duration such as 30m",
                    e);
        }
    }

    @Nullable Ttl ttl(String name) {
        String text = text(name);
        try {
            return text == null ? null : Ttl.parse(text);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, name + ": " + e.getMessage(), e);
        }
    }

    @Nullable Address address(String name) {
        String text = text(name);
        return text == null ? null : address(name, text);
    }

    /// `queen://code`, or `code` for short.
    static Address address(String name, String text) {
        try {
            return Address.parse(
                    text.contains("://") ? text : "queen://" + text.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, name + ": " + e.getMessage(), e);
        }
    }
}
