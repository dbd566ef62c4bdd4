package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// `xargs`: the words that come through the pipe follow the given ones, or take the place of a mark
/// in them.
final class Xargs {
    /// Letters whose value is the rest of the word, or the next one.
    private static final String VALUED = "adEILnPsJRS";

    /// Letters whose value is the rest of the word, if there is one.
    private static final String PERHAPS_VALUED = "eil";

    /// Long options and the letters that mean the same; a value may stand in the next word only
    /// where the letter must have one.
    private static final List<String> LONG =
            List.of(
                    "--arg-file a",
                    "--delimiter d",
                    "--eof e",
                    "--replace i",
                    "--max-lines l",
                    "--max-args n",
                    "--max-procs P",
                    "--max-chars s",
                    "--process-slot-var R");

    private static final String USUAL_MARK = "{}";

    private final Invocation call;
    private final List<Shape> arguments;
    private int at;
    private @Nullable Shape mark;
    private @Nullable Shape delimiter;
    private @Nullable Shape file;

    /// How many words a command gets, if that is limited.
    private @Nullable Shape count;

    /// Whether the lines that come in are told apart.
    private boolean byLines;

    /// Whether nothing is run if nothing comes in.
    private boolean onlyWithWords;

    private Xargs(Invocation call) {
        this.call = call;
        this.arguments = call.arguments();
    }

    static void follow(Invocation call) throws ShellSyntaxException {
        var xargs = new Xargs(call);
        xargs.readOptions();
        xargs.run();
    }

    private void readOptions() {
        while (at < arguments.size() && arguments.get(at).startsWith("-")) {
            Shape word = arguments.get(at++);
            if (word.is("--")) {
                return;
            }
            if (word.startsWith("--")) {
                longOption(word);
            } else {
                letters(word);
            }
        }
    }

    private void longOption(Shape word) {
        int sign = word.indexOf('=', 0);
        String name = (sign < 0 ? word : word.part(0, sign)).toString();
        onlyWithWords |= name.equals("--no-run-if-empty");
        for (String option : LONG) {
            if (option.startsWith(name)) {
                int letter = option.charAt(option.length() - 1);
                boolean next = sign < 0 && VALUED.indexOf(letter) >= 0;
                note(letter, next ? next() : sign < 0 ? Shape.EMPTY : word.from(sign + 1));
                return;
            }
        }
    }

    private void letters(Shape word) {
        for (int i = 1; i < word.length(); i++) {
            int letter = word.at(i);
            onlyWithWords |= letter == 'r';
            Shape rest = word.from(i + 1);
            if (VALUED.indexOf(letter) >= 0) {
                note(letter, rest.isEmpty() ? next() : rest);
                return;
            }
            if (PERHAPS_VALUED.indexOf(letter) >= 0) {
                note(letter, rest);
                return;
            }
        }
    }

    private Shape next() {
        return at < arguments.size() ? arguments.get(at++) : Shape.EMPTY;
    }

    private void note(int letter, Shape value) {
        switch (letter) {
            case 'a' -> file = value;
            case 'd' -> delimiter = value;
            case 'I', 'i', 'J' -> mark = value.isEmpty() ? Shape.of(USUAL_MARK) : value;
            case 'n' -> count = value;
            case 'L', 'l' -> byLines = true;
            default -> {
                // Not about the words.
            }
        }
    }

    private void run() throws ShellSyntaxException {
        if (file != null) {
            call.touch(file, Role.READ, Extent.PATH);
            call.doubt("takes words from a file");
        }
        List<Shape> words = call.from(at);
        if (words.isEmpty()) {
            return;
        }
        Set<List<Shape>> inputs = inputs();
        if (mark != null && !mark.isPlain()) {
            call.doubt("puts words in a place that is not known");
        }
        if (mark != null) {
            var each = new LinkedHashSet<Shape>();
            inputs.forEach(each::addAll);
            for (Shape value : each) {
                String sought = mark.toString();
                call.call(words.stream().map(word -> word.replace(sought, value)).toList());
            }
        }
        if (mark == null && !onlyWithWords) {
            // Without words from the pipe it runs the command all the same.
            ShellState inner = call.state().copy();
            inner.piped = false;
            inner.input = null;
            call.run().call(words, inner, null);
        }
        if (mark == null || count != null || byLines) {
            // Of options that exclude each other the last one counts.
            for (List<Shape> more : inputs) {
                var all = new ArrayList<>(words);
                all.addAll(more);
                call.call(all);
            }
        }
    }

    /// What commands may get of what comes in: all words, as many as an option says, and the whole
    /// text, which some options make one word.
    private Set<List<Shape>> inputs() {
        Shape text = call.text();
        List<Shape> input = text == null ? call.state().input : List.of(text);
        Set<List<Shape>> inputs = new LinkedHashSet<>();
        Shape whole = input == null ? Shape.UNKNOWN : Builtins.joined(input);
        boolean quoted = whole.contains('\'') || whole.contains('"') || whole.contains('\\');
        if (input == null || file != null || quoted || !isSeparator(delimiter)) {
            inputs.add(List.of(Shape.UNKNOWN));
            return inputs;
        }
        addTo(inputs, words(input));
        if (delimiter != null) {
            addTo(inputs, whole.split(separator(delimiter)));
        }
        if (byLines) {
            for (Shape line : whole.split('\n')) {
                addTo(inputs, words(List.of(line)));
            }
        }
        addTo(inputs, List.of(whole));
        return inputs;
    }

    private void addTo(Set<List<Shape>> inputs, List<Shape> found) {
        List<Shape> words = found.stream().filter(word -> !word.isEmpty()).toList();
        inputs.add(words);
        if (count != null) {
            int size = number(count);
            for (int i = 0; i < words.size(); i += size) {
                inputs.add(words.subList(i, Math.min(i + size, words.size())));
            }
        }
    }

    /// A number that nobody knows is taken for one.
    private static int number(Shape count) {
        String digits = count.toString();
        return digits.matches("[1-9]\\d{0,5}") ? Integer.parseInt(digits) : 1;
    }

    private static List<Shape> words(List<Shape> input) {
        var words = new ArrayList<Shape>();
        for (Shape field : input) {
            for (Shape part : field.split('\n')) {
                for (Shape word : part.split(' ')) {
                    words.addAll(word.split('\t'));
                }
            }
        }
        return words;
    }

    /// Whether it is known at what the option cuts: one character, or a name of one.
    private static boolean isSeparator(@Nullable Shape value) {
        return value == null
                || (value.isPlain()
                        && (value.length() == 1 || value.toString().matches("\\\\[nt0]")));
    }

    private static int separator(Shape value) {
        return switch (value.toString()) {
            case "\\n" -> '\n';
            case "\\t" -> '\t';
            case "\\0" -> 0;
            default -> value.at(0);
        };
    }
}
