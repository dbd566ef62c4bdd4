package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Takes a shell command apart, by the grammar that bash, dash and zsh share. What it does not know
/// it refuses; it never guesses.
final class ShellParser {
    private static final Set<String> CLOSING =
            Set.of("then", "do", "done", "fi", "else", "elif", "esac", "}");

    private final Cursor cursor;
    private final WordReader words;
    private final Redirects redirects;

    ShellParser(Cursor cursor) {
        this.cursor = cursor;
        this.words = new WordReader(cursor);
        this.redirects = new Redirects(cursor, words);
    }

    static ShellTree parse(String text) throws ShellSyntaxException {
        return new ShellParser(new Cursor(text)).all();
    }

    ShellTree all() throws ShellSyntaxException {
        ShellTree tree = list();
        if (!cursor.atEnd()) {
            throw new ShellSyntaxException("\"" + cursor.peek() + "\" is not expected");
        }
        redirects.finishHereTexts();
        return tree;
    }

    /// The commands up to a closing parenthesis, which is left.
    ShellTree listUntilClosed() throws ShellSyntaxException {
        ShellTree tree = list();
        redirects.finishHereTexts();
        return tree;
    }

    /// The commands up to something that ends them: a closing word or sign, or the end.
    private ShellTree list() throws ShellSyntaxException {
        cursor.enter();
        var items = new ArrayList<ShellTree>();
        while (true) {
            skipLines();
            if (cursor.atEnd()
                    || cursor.peek() == ')'
                    || cursor.looksAt(";;")
                    || cursor.looksAt(";&")
                    || CLOSING.contains(reservedHere())) {
                break;
            }
            ShellTree item = andOr();
            cursor.skipBlanks();
            if (cursor.peek() == '&' && cursor.peek(1) != '&') {
                cursor.at++;
                item = new ShellTree.Subshell(item, List.of());
            } else if (cursor.peek() == ';' && cursor.peek(1) != ';' && cursor.peek(1) != '&') {
                cursor.at++;
            } else if (cursor.peek() != '\n' && !endsHere()) {
                throw new ShellSyntaxException("\"" + cursor.peek() + "\" is not expected");
            }
            items.add(item);
        }
        cursor.leave();
        return new ShellTree.Sequence(List.copyOf(items));
    }

    private boolean endsHere() {
        return cursor.atEnd() || cursor.peek() == ')' || cursor.peek() == ';';
    }

    private void skipLines() throws ShellSyntaxException {
        cursor.skipBlanks();
        while (cursor.peek() == '\n') {
            cursor.at++;
            redirects.readHereTexts();
            cursor.skipBlanks();
        }
    }

    private ShellTree andOr() throws ShellSyntaxException {
        ShellTree first = pipeline();
        var rest = new ArrayList<ShellTree.Next>();
        while (true) {
            cursor.skipBlanks();
            boolean or = cursor.looksAt("||");
            if (!or && !cursor.looksAt("&&")) {
                return rest.isEmpty() ? first : new ShellTree.AndOr(first, List.copyOf(rest));
            }
            cursor.at += 2;
            skipLines();
            rest.add(new ShellTree.Next(or, pipeline()));
        }
    }

    private ShellTree pipeline() throws ShellSyntaxException {
        cursor.skipBlanks();
        while (takeReserved("!") || takeReserved("time")) {
            cursor.skipBlanks();
            takeReserved("-p");
            cursor.skipBlanks();
        }
        var parts = new ArrayList<ShellTree>();
        parts.add(command());
        while (true) {
            cursor.skipBlanks();
            if (cursor.peek() != '|' || cursor.peek(1) == '|') {
                return parts.size() == 1
                        ? parts.getFirst()
                        : new ShellTree.Pipeline(List.copyOf(parts));
            }
            cursor.at++;
            cursor.take("&");
            skipLines();
            parts.add(command());
        }
    }

    private ShellTree command() throws ShellSyntaxException {
        cursor.enter();
        try {
            cursor.skipBlanks();
            if (words.calculationBegins()) {
                return calculation();
            }
            if (cursor.take("(")) {
                ShellTree body = list();
                cursor.expect(")");
                return new ShellTree.Subshell(body, redirects.readAll());
            }
            return switch (reservedHere()) {
                case "{" -> {
                    takeReserved("{");
                    ShellTree body = list();
                    expectReserved("}");
                    yield new ShellTree.Group(body, redirects.readAll());
                }
                case "if" -> conditional();
                case "while", "until" -> loop();
                case "for", "select" -> forLoop();
                case "case" -> choice();
                case "[[" -> test();
                case "function" -> {
                    takeReserved("function");
                    cursor.skipBlanks();
                    yield function(name());
                }
                default -> simple();
            };
        } finally {
            cursor.leave();
        }
    }

    private ShellTree calculation() throws ShellSyntaxException {
        Word.Calculation found = words.calculation();
        return new ShellTree.Calculation(new Word(List.of(found)));
    }

    private ShellTree conditional() throws ShellSyntaxException {
        takeReserved("if");
        var conditions = new ArrayList<ShellTree>();
        var branches = new ArrayList<ShellTree>();
        conditions.add(list());
        expectReserved("then");
        branches.add(list());
        while (takeReserved("elif")) {
            conditions.add(list());
            expectReserved("then");
            branches.add(list());
        }
        if (takeReserved("else")) {
            branches.add(list());
        }
        expectReserved("fi");
        return new ShellTree.Choice(
                Word.EMPTY,
                new ShellTree.Sequence(List.copyOf(conditions)),
                List.copyOf(branches),
                redirects.readAll());
    }

    private ShellTree loop() throws ShellSyntaxException {
        if (!takeReserved("while")) {
            expectReserved("until");
        }
        ShellTree condition = list();
        ShellTree body = doBody();
        return new ShellTree.Loop(condition, body, redirects.readAll());
    }

    private ShellTree doBody() throws ShellSyntaxException {
        expectReserved("do");
        ShellTree body = list();
        expectReserved("done");
        return body;
    }

    private ShellTree forLoop() throws ShellSyntaxException {
        if (!takeReserved("for")) {
            expectReserved("select");
        }
        cursor.skipBlanks();
        if (words.calculationBegins()) {
            ShellTree header = calculation();
            skipLines();
            cursor.take(";");
            skipLines();
            return new ShellTree.Loop(header, doBody(), redirects.readAll());
        }
        String name = name();
        skipLines();
        List<Word> values = null;
        if (takeReserved("in")) {
            values = new ArrayList<>();
            cursor.skipBlanks();
            while (cursor.peek() != ';' && cursor.peek() != '\n' && !cursor.atEnd()) {
                values.add(words.read());
                cursor.skipBlanks();
            }
        }
        cursor.skipBlanks();
        cursor.take(";");
        skipLines();
        ShellTree body = doBody();
        return new ShellTree.For(
                name, values == null ? null : List.copyOf(values), body, redirects.readAll());
    }

    private ShellTree choice() throws ShellSyntaxException {
        takeReserved("case");
        cursor.skipBlanks();
        Word subject = words.read();
        skipLines();
        expectReserved("in");
        var patterns = new ArrayList<Word.Part>(subject.parts());
        var branches = new ArrayList<ShellTree>();
        skipLines();
        while (!takeReserved("esac")) {
            cursor.take("(");
            do {
                cursor.skipBlanks();
                patterns.addAll(words.read().parts());
                cursor.skipBlanks();
            } while (cursor.take("|"));
            cursor.expect(")");
            branches.add(list());
            skipLines();
            if (cursor.take(";;")) {
                cursor.take("&");
            } else {
                cursor.take(";&");
            }
            skipLines();
        }
        // Patterns are expanded as well: a substitution in one of them runs.
        return new ShellTree.Choice(
                new Word(patterns),
                new ShellTree.Sequence(List.of()),
                List.copyOf(branches),
                redirects.readAll());
    }

    private ShellTree test() throws ShellSyntaxException {
        takeReserved("[[");
        var operands = new ArrayList<Word>();
        while (true) {
            skipLines();
            if (takeReserved("]]")) {
                return new ShellTree.Test(List.copyOf(operands), redirects.readAll());
            }
            if (!cursor.atEnd() && "()<>&|!".indexOf(cursor.peek()) >= 0) {
                operands.add(Word.quoted(String.valueOf(cursor.next())));
            } else if (cursor.peek() == ';') {
                throw new ShellSyntaxException("[[ is not closed");
            } else {
                operands.add(words.read());
            }
        }
    }

    private ShellTree function(String name) throws ShellSyntaxException {
        cursor.skipBlanks();
        if (cursor.take("(")) {
            cursor.skipBlanks();
            cursor.expect(")");
        }
        skipLines();
        return new ShellTree.Function(name, command());
    }

    private ShellTree simple() throws ShellSyntaxException {
        var assignments = new ArrayList<ShellTree.Assignment>();
        var arguments = new ArrayList<Word>();
        var files = new ArrayList<ShellTree.Redirect>();
        while (true) {
            cursor.skipBlanks();
            if (redirects.beginsHere()) {
                files.add(redirects.read());
            } else if (cursor.atEnd() || "\n;&|)".indexOf(cursor.peek()) >= 0) {
                break;
            } else if (cursor.peek() == '(') {
                return definition(assignments, arguments);
            } else {
                Assignments found = new Assignments(cursor, words);
                if (!arguments.isEmpty() || !found.readInto(assignments)) {
                    arguments.add(words.read());
                }
            }
        }
        if (assignments.isEmpty() && arguments.isEmpty() && files.isEmpty()) {
            throw new ShellSyntaxException("a command is missing");
        }
        return new ShellTree.Simple(
                List.copyOf(assignments), List.copyOf(arguments), List.copyOf(files));
    }

    /// `name() …`, where the parenthesis is next.
    private ShellTree definition(List<ShellTree.Assignment> assignments, List<Word> arguments)
            throws ShellSyntaxException {
        if (assignments.isEmpty()
                && arguments.size() == 1
                && arguments.getFirst().parts().size() == 1
                && arguments.getFirst().parts().getFirst() instanceof Word.Bare(String name)) {
            return function(name);
        }
        throw new ShellSyntaxException("\"(\" is not expected");
    }

    private String name() throws ShellSyntaxException {
        Word word = words.read();
        if (word.parts().size() == 1 && word.parts().getFirst() instanceof Word.Bare(String name)) {
            return name;
        }
        throw new ShellSyntaxException("a name is missing");
    }

    /// The bare word that begins here, if it could be a reserved one; nothing is taken.
    private String reservedHere() {
        int end = cursor.at;
        while (end < cursor.text.length()
                && " \t\r\n;&|<>()".indexOf(cursor.text.charAt(end)) < 0) {
            end++;
        }
        return cursor.text.substring(cursor.at, end);
    }

    private boolean takeReserved(String word) {
        cursor.skipBlanks();
        boolean here = reservedHere().equals(word);
        cursor.at += here ? word.length() : 0;
        return here;
    }

    private void expectReserved(String word) throws ShellSyntaxException {
        if (!takeReserved(word)) {
            throw new ShellSyntaxException("\"" + word + "\" is missing");
        }
    }
}
