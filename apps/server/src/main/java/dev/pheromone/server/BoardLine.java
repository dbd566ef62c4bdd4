package dev.pheromone.server;

import dev.pheromone.text.Json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// A look or a deed of the board: a name that stands for one command, and parameters that stand for
/// its options and operands. What comes of it is a list of words, and never a line for a shell.
final class BoardLine {

    /// What of a command's answer the board gives on.
    enum Gives {
        /// The JSON object.
        OBJECT,
        /// The JSON lines, as one object with `items`.
        LINES,
        /// The picture in the JSON object.
        PICTURE
    }

    /// Adds the words for what is given.
    private interface Step {
        void add(Map<String, List<String>> given, List<String> options, List<String> operands);
    }

    private final String name;
    private final String verb;

    /// What a parameter is in a body; in a query each is a text.
    private enum Kind {
        TEXT("a text"),
        LIST("a list of texts"),
        YES("true or false");

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    private static final String ID = "id";
    private static final Pattern ID_TEXT = Pattern.compile("[0-9A-Za-z]{1,26}");

    private final Map<String, Kind> params = new LinkedHashMap<>();

    private final List<Step> steps = new ArrayList<>();
    private List<String> required = List.of();
    private Set<String> answers = Set.of("nothing");
    private Gives gives = Gives.OBJECT;

    BoardLine(String name, String verb) {
        this.name = name;
        this.verb = verb;
    }

    /// Options of the parameters' names.
    BoardLine opt(String... names) {
        for (String param : names) {
            opt(param, param, Kind.TEXT);
        }
        return this;
    }

    /// An option of another name than its parameter.
    BoardLine optFor(String param, String option) {
        return opt(param, option, Kind.TEXT);
    }

    /// An option that may be given several times.
    BoardLine opts(String param) {
        return opt(param, param, Kind.LIST);
    }

    private BoardLine opt(String param, String option, Kind kind) {
        params.put(param, kind);
        steps.add((given, options, _) ->
                given.getOrDefault(param, List.of())
                        .forEach(value -> options.addAll(option(option, value))));
        return this;
    }

    private static List<String> option(String name, String value) {
        return value.startsWith("-")
                ? List.of("--" + name + "=" + value)
                : List.of("--" + name, value);
    }

    /// An option that has no value, and whose name is the value of the parameter.
    BoardLine flag(String param, String... names) {
        params.put(param, Kind.TEXT);
        steps.add((given, options, _) -> {
            for (String value : given.getOrDefault(param, List.of())) {
                if (!List.of(names).contains(value)) {
                    throw wrong(param, value, String.join(", ", names));
                }
                options.add("--" + value);
            }
        });
        return this;
    }

    /// An option that is given if the parameter of its name is true.
    BoardLine flag(String param) {
        params.put(param, Kind.YES);
        steps.add((given, options, _) -> {
            if (given.getOrDefault(param, List.of()).contains("true")) {
                options.add("--" + param);
            }
        });
        return this;
    }

    /// An option that is always given.
    BoardLine with(String option) {
        steps.add((_, options, _) -> options.add(option));
        return this;
    }

    /// An operand that is the id of an envelope, whole or shortened. The name of a claim is none:
    /// with that name anybody ends the work of whoever holds it.
    BoardLine id() {
        params.put(ID, Kind.TEXT);
        steps.add((given, _, operands) -> {
            for (String value : given.getOrDefault(ID, List.of())) {
                if (!ID_TEXT.matcher(value).matches()) {
                    throw wrong(ID, value, "the id of an envelope");
                }
                operands.add(value);
            }
        });
        return require(ID);
    }

    /// An operand that is always the same.
    BoardLine word(String operand) {
        steps.add((_, _, operands) -> operands.add(operand));
        return this;
    }

    BoardLine operand(String param) {
        return operand(param, Kind.TEXT);
    }

    BoardLine operands(String param) {
        return operand(param, Kind.LIST);
    }

    private BoardLine operand(String param, Kind kind) {
        params.put(param, kind);
        steps.add((given, _, operands) -> operands.addAll(given.getOrDefault(param, List.of())));
        return this;
    }

    /// One operand of the texts that are given, with an empty line between them.
    BoardLine text(String... names) {
        for (String param : names) {
            params.put(param, Kind.TEXT);
        }
        steps.add((given, _, operands) -> {
            List<String> texts = new ArrayList<>();
            for (String param : names) {
                texts.addAll(given.getOrDefault(param, List.of()));
            }
            if (!texts.isEmpty()) {
                operands.add(String.join("\n\n", texts));
            }
        });
        return this;
    }

    /// Parameters without which it is not done.
    BoardLine require(String... names) {
        required = List.of(names);
        return this;
    }

    BoardLine gives(Gives what) {
        gives = what;
        return this;
    }

    /// Failures with these codes are answers, which say all that was asked.
    BoardLine answersWith(String... codes) {
        answers = Set.of(codes);
        return this;
    }

    String name() {
        return name;
    }

    Gives gives() {
        return gives;
    }

    boolean isAnswer(String code) {
        return answers.contains(code);
    }

    /// The words for the parameters of a query, where lists are written with commas.
    List<String> words(Map<String, String> query) {
        Map<String, List<String>> given = new LinkedHashMap<>();
        query.forEach((param, value) -> {
            Kind kind = kind(param);
            if (!value.isEmpty()) {
                given.put(
                        param, kind == Kind.LIST ? List.of(value.split(",", -1)) : List.of(value));
            }
        });
        return wordsOf(given);
    }

    /// The words for the fields of a body.
    List<String> words(Json.Obj body) {
        Map<String, List<String>> given = new LinkedHashMap<>();
        body.forEach((param, value) -> given.put(param, values(param, value)));
        return wordsOf(given);
    }

    private List<String> values(String param, Json value) {
        Kind kind = kind(param);
        List<String> values = new ArrayList<>();
        if (kind == Kind.YES && value instanceof Json.Bool yes) {
            return List.of(String.valueOf(yes.value()));
        }
        if ((kind == Kind.LIST) == value instanceof Json.Arr) {
            for (Json item : value instanceof Json.Arr list ? list.items() : List.of(value)) {
                if (kind != Kind.YES && item instanceof Json.Str text) {
                    values.add(text.value());
                    continue;
                }
                throw wrong(param, value.toString(), kind.words);
            }
            return values;
        }
        throw wrong(param, value.toString(), kind.words);
    }

    private List<String> wordsOf(Map<String, List<String>> given) {
        for (String param : required) {
            if (given.getOrDefault(param, List.of()).isEmpty()) {
                throw wrong(param, "nothing", "a value");
            }
        }
        List<String> options = new ArrayList<>();
        List<String> operands = new ArrayList<>();
        steps.forEach(step -> step.add(given, options, operands));
        List<String> words = new ArrayList<>(List.of(verb));
        if (operands.stream().anyMatch(operand -> operand.startsWith("-"))) {
            words.addAll(options);
            words.add("--");
            words.addAll(operands);
        } else {
            words.addAll(operands);
            words.addAll(options);
        }
        return words;
    }

    private Kind kind(String param) {
        Kind kind = params.get(param);
        if (kind == null) {
            throw Problem.of(
                            422,
                            "usage",
                            "parameter "
                                    + param
                                    + ": expected "
                                    + (params.isEmpty()
                                            ? "none"
                                            : String.join(", ", params.keySet())))
                    .thrown();
        }
        return kind;
    }

    private static ProblemException wrong(String param, String found, String expected) {
        return Problem.of(422, "usage", param + ": found " + found + ", expected " + expected)
                .thrown();
    }
}
