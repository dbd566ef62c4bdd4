package dev.pheromone.hooks;

import java.util.List;

/// Makes fields of one word: what is expanded outside quotes is split at blanks, and its wildcards
/// count.
final class FieldBuilder {
    private final Expansion expansion;
    private final List<Shape> fields;
    private Shape field = Shape.EMPTY;

    /// Whether the field is a word even if it is empty.
    private boolean begun;

    FieldBuilder(Expansion expansion, List<Shape> fields) {
        this.expansion = expansion;
        this.fields = fields;
    }

    void add(Word word) throws ShellSyntaxException {
        List<Word.Part> parts = word.parts();
        for (int i = 0; i < parts.size(); i++) {
            switch (parts.get(i)) {
                case Word.Bare(String text) -> {
                    if (bracketSpansParts(parts, i)) {
                        append(Shape.of(new int[] {Shape.DEEP}));
                        i = parts.size();
                    } else {
                        append(wild(expansion.tilde(text, i == 0)));
                    }
                }
                case Word.Quoted(String text) -> append(Shape.of(text));
                case Word.Pipe pipe -> append(expansion.pipe(pipe));
                case Word.Calculation calculation -> append(expansion.calculation(calculation));
                case Word.Substitution substitution -> {
                    Shape output = expansion.output(substitution.body());
                    if (substitution.quoted()) {
                        quoted(output);
                    } else {
                        split(output);
                    }
                }
                case Word.Variable variable -> add(variable);
            }
        }
        finish();
    }

    private void add(Word.Variable variable) throws ShellSyntaxException {
        List<Shape> values = expansion.values(variable);
        boolean separate = variable.name().equals("@") || variable.index().equals("@");
        boolean several = variable.name().equals("*") || variable.index().equals("*");
        for (int i = 0; i < values.size(); i++) {
            if (i > 0 && (separate || (several && !variable.quoted()))) {
                finish();
            } else if (i > 0) {
                append(Shape.of(" "));
            }
            if (variable.quoted()) {
                quoted(values.get(i));
            } else {
                split(values.get(i));
            }
        }
    }

    /// `["s"]ecret` is a wildcard of which a part is quoted.
    private static boolean bracketSpansParts(List<Word.Part> parts, int at) {
        if (!(parts.get(at) instanceof Word.Bare(String text)) || at + 1 == parts.size()) {
            return false;
        }
        int open = text.lastIndexOf('[');
        return open >= 0 && text.indexOf(']', open + 1) < 0;
    }

    private Shape wild(Shape text) {
        boolean insideName = !field.isEmpty() && field.at(field.length() - 1) != '/';
        Shape wild = text.withWildcards();
        if (expansion.seesHidden()) {
            return wild.withHidden();
        }
        boolean skip = insideName && !wild.isEmpty() && wild.at(0) == Shape.NOT_DOT;
        return skip ? wild.from(1) : wild;
    }

    private void append(Shape text) throws ShellSyntaxException {
        field = Expansion.bounded(field.plus(text));
        begun = true;
    }

    /// In quotes a word is one, even if nothing is in it.
    private void quoted(Shape text) throws ShellSyntaxException {
        boolean folder = !text.isEmpty() && text.at(text.length() - 1) == Shape.ABOVE;
        append(folder ? text.plus("/.") : text);
    }

    private void split(Shape text) throws ShellSyntaxException {
        if (expansion.oddSplitting()) {
            append(Shape.UNKNOWN);
            return;
        }
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            boolean blank = i < text.length() && isBlank(text.at(i));
            if (i == text.length() || blank) {
                if (i > start) {
                    append(wild(text.part(start, i)));
                }
                if (blank) {
                    finish();
                }
                start = i + 1;
            }
        }
    }

    private static boolean isBlank(int atom) {
        return atom == ' ' || atom == '\t' || atom == '\n';
    }

    private void finish() {
        if (begun) {
            fields.add(field);
        }
        field = Shape.EMPTY;
        begun = false;
    }
}
