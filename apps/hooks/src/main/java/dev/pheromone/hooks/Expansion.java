package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Expands words as a shell would, as far as the values are known.
final class Expansion {
    private static final int FIELDS_MAX = 512;
    private static final int LENGTH_MAX = 128 * 1024;

    /// Variables that hold a number whatever happens.
    private static final String NUMBERS = "?#$!";

    private static final Pattern ASSIGNED_NAME =
            Pattern.compile(
                    "([A-Za-z_]\\w*)\\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|([A-Za-z_]\\w*)\\s*(?:\\+\\+|--)"
                        + "|(?:\\+\\+|--)\\s*([A-Za-z_]\\w*)");

    /// Runs the commands inside words, for what they touch and for what they print.
    interface Substitutions {
        Shape output(ShellTree body) throws ShellSyntaxException;

        /// Notes the words of a command whose output some program reads like a file.
        void feeds(Shape text);
    }

    private final ShellState state;
    private final Substitutions substitutions;

    Expansion(ShellState state, Substitutions substitutions) {
        this.state = state;
        this.substitutions = substitutions;
    }

    /// The words that `words` become: split, with wildcards.
    List<Shape> fields(List<Word> words) throws ShellSyntaxException {
        var fields = new ArrayList<Shape>();
        for (Word word : words) {
            for (Word single : Braces.expand(word)) {
                new FieldBuilder(this, fields).add(single);
                if (fields.size() > FIELDS_MAX) {
                    throw new ShellSyntaxException("it has too many words");
                }
            }
        }
        return fields;
    }

    /// The one text that `word` becomes where nothing is split: in assignments and here-documents.
    Shape text(Word word) throws ShellSyntaxException {
        Shape text = Shape.EMPTY;
        boolean first = true;
        for (Word.Part part : word.parts()) {
            Shape next =
                    switch (part) {
                        case Word.Bare(String bare) -> tilde(bare, first);
                        case Word.Quoted(String quoted) -> Shape.of(quoted);
                        case Word.Pipe pipe -> pipe(pipe);
                        case Word.Calculation calculation -> calculation(calculation);
                        case Word.Substitution substitution ->
                                substitutions.output(substitution.body());
                        case Word.Variable variable -> joined(values(variable));
                    };
            text = bounded(text.plus(next));
            first = false;
        }
        return text;
    }

    /// The same text, if it is not too long: one that doubles a few times fills any memory.
    static Shape bounded(Shape text) throws ShellSyntaxException {
        if (text.length() > LENGTH_MAX) {
            throw new ShellSyntaxException("a text gets too long");
        }
        return text;
    }

    private static Shape joined(List<Shape> values) {
        Shape joined = Shape.EMPTY;
        for (int i = 0; i < values.size(); i++) {
            joined = i == 0 ? values.get(i) : joined.plus(" ").plus(values.get(i));
        }
        return joined;
    }

    Shape tilde(String bare, boolean first) {
        if (!first || !bare.startsWith("~")) {
            return Shape.of(bare);
        }
        int end = bare.indexOf('/') < 0 ? bare.length() : bare.indexOf('/');
        Shape rest = Shape.of(bare.substring(end));
        return switch (bare.substring(0, end)) {
            case "~" -> joined(state.values("HOME")).plus(rest);
            case "~+" -> Shape.of(".").plus(rest);
            default -> Shape.UNKNOWN.plus(rest);
        };
    }

    Shape pipe(Word.Pipe pipe) throws ShellSyntaxException {
        Shape ignored = substitutions.output(pipe.body());
        Optional<List<Word>> words = pipe.body().onlyWords();
        if (words.isPresent()) {
            substitutions.feeds(joined(fields(words.get())));
        }
        return ignored.isEmpty() ? Shape.of("/dev/fd/0") : Shape.of("/dev/fd/63");
    }

    boolean seesHidden() {
        return state.seesHidden();
    }

    /// Whether somebody changed how words are split.
    boolean oddSplitting() {
        return state.knows("IFS");
    }

    Shape output(ShellTree body) throws ShellSyntaxException {
        return substitutions.output(body);
    }

    Shape calculation(Word.Calculation calculation) throws ShellSyntaxException {
        Shape ignored = text(calculation.inner());
        Matcher assigned = ASSIGNED_NAME.matcher(calculation.text());
        while (assigned.find()) {
            for (int group = 1; group <= assigned.groupCount(); group++) {
                String name = assigned.group(group);
                if (name != null) {
                    state.set(name, List.of(Shape.ANY_NAME));
                }
            }
        }
        return ignored.isEmpty() ? Shape.EMPTY : Shape.ANY_NAME;
    }

    /// The values of a variable, after its operator.
    List<Shape> values(Word.Variable variable) throws ShellSyntaxException {
        // What stands in the braces is run in any case: better one touch too many.
        Shape operand = text(variable.operand());
        List<Shape> values = plainValues(variable);
        return switch (variable.operator()) {
            case "" -> values;
            case "#" -> List.of(Shape.ANY_NAME);
            case ":-", "-" ->
                    isUnknown(values) || isEmpty(values) ? List.of(Shape.UNKNOWN) : values;
            case ":?", "?" -> values;
            case ":+", "+" -> isUnknown(values) ? List.of(Shape.UNKNOWN) : List.of(operand);
            case ":=", "=" -> {
                if (isUnknown(values) || isEmpty(values)) {
                    state.forget(variable.name());
                    yield List.of(Shape.UNKNOWN);
                }
                yield values;
            }
            default -> List.of(Shape.UNKNOWN);
        };
    }

    private static boolean isUnknown(List<Shape> values) {
        return values.stream().anyMatch(Shape::hasGap);
    }

    private static boolean isEmpty(List<Shape> values) {
        return values.isEmpty() || values.getFirst().isEmpty();
    }

    private List<Shape> plainValues(Word.Variable variable) {
        String name = variable.name();
        if (name.length() == 1 && NUMBERS.contains(name)) {
            return List.of(Shape.ANY_NAME);
        }
        List<Shape> arguments = state.arguments;
        if (name.equals("@") || name.equals("*")) {
            return arguments == null
                    ? List.of(Shape.UNKNOWN)
                    : arguments.subList(Math.min(1, arguments.size()), arguments.size());
        }
        if (Character.isDigit(name.charAt(0))) {
            int index = name.length() > 4 ? Integer.MAX_VALUE : Integer.parseInt(name);
            if (arguments == null) {
                return List.of(Shape.UNKNOWN);
            }
            return List.of(index < arguments.size() ? arguments.get(index) : Shape.EMPTY);
        }
        if (name.equals("PWD") && !state.knows("PWD")) {
            return state.folders().size() == 1 ? state.folders() : List.of(Shape.UNKNOWN);
        }
        if (!state.knows(name) && !ShellNames.areSetByTheShell(name)) {
            return List.of(Shape.GIVEN_VALUE);
        }
        List<Shape> values = state.values(name);
        return switch (variable.index()) {
            case "@", "*" -> values;
            case "" -> values.isEmpty() ? List.of(Shape.EMPTY) : List.of(values.getFirst());
            default -> values.size() == 1 ? List.of(Shape.UNKNOWN) : oneOf(variable, values);
        };
    }

    private static List<Shape> oneOf(Word.Variable variable, List<Shape> values) {
        String index = variable.index();
        if (index.matches("\\d{1,4}") && Integer.parseInt(index) < values.size()) {
            return List.of(values.get(Integer.parseInt(index)));
        }
        return List.of(Shape.UNKNOWN);
    }
}
