package dev.pheromone.hooks;

/// Looks through a sed script for the commands that read and write files.
final class SedScript {
    private final Invocation call;
    private final Shape script;
    private int at;

    private SedScript(Invocation call, Shape script) {
        this.call = call;
        this.script = script;
    }

    static void follow(Invocation call, Shape script) throws ShellSyntaxException {
        for (int i = 0; i < script.length(); i++) {
            int atom = script.at(i);
            if (atom < 0 && atom != Shape.GIVEN && atom != Shape.STAR) {
                // What another program prints could be a command.
                call.doubt("its script is known only when it runs");
                return;
            }
        }
        if (!new SedScript(call, script).commands()) {
            call.doubt("its script is not understood");
        }
    }

    /// False if something is not understood.
    private boolean commands() throws ShellSyntaxException {
        while (true) {
            skip(" \t\n;");
            if (at >= script.length()) {
                return true;
            }
            if (script.at(at) == '#') {
                lineRest();
            } else if (!address() || !command()) {
                return false;
            }
        }
    }

    /// Lines that are named by a value from outside are numbers, as far as anybody can tell: who
    /// could set a whole script there could as well have written a file with it.
    private boolean address() {
        while (at < script.length()) {
            int c = script.at(at);
            if (c == '/' || c == '\\') {
                at += c == '\\' ? 1 : 0;
                if (at >= script.length() || !delimited(script.at(at), 1)) {
                    return false;
                }
                skip("IM");
            } else if (Character.isDigit(c)
                    || isOneOf(c, "$,~+! \t")
                    || c == Shape.GIVEN
                    || c == Shape.STAR) {
                at++;
            } else {
                return true;
            }
        }
        return false;
    }

    private boolean command() throws ShellSyntaxException {
        int c = script.at(at++);
        switch (c) {
            case '{',
                    '}',
                    '=',
                    'd',
                    'D',
                    'g',
                    'G',
                    'h',
                    'H',
                    'n',
                    'N',
                    'p',
                    'P',
                    'x',
                    'z',
                    'F' -> {}
            case 'l', 'L', 'q', 'Q' -> skip(" 0123456789");
            case 'b', 't', 'T', ':' -> {
                while (at < script.length() && !isOneOf(script.at(at), ";}\n")) {
                    at++;
                }
            }
            case 'a', 'i', 'c' -> {
                Shape line = lineRest();
                while (!line.isEmpty()
                        && line.at(line.length() - 1) == '\\'
                        && at < script.length()) {
                    line = lineRest();
                }
            }
            case 'r', 'R' -> call.touch(file(), Role.READ, Extent.PATH);
            case 'w', 'W' -> call.touch(file(), Role.WRITE, Extent.PATH);
            case 'y' -> {
                return at < script.length() && delimited(script.at(at), 2);
            }
            case 's' -> {
                return at < script.length() && delimited(script.at(at), 2) && flags();
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean flags() throws ShellSyntaxException {
        while (at < script.length() && !isOneOf(script.at(at), ";}\n \t")) {
            int flag = script.at(at++);
            if (flag == 'w') {
                call.touch(file(), Role.WRITE, Extent.PATH);
            } else if (!isOneOf(flag, "gpiImM0123456789")) {
                return false;
            }
        }
        return true;
    }

    /// Moves behind `count` parts that end with `delimiter`, which stands here. A value that was
    /// set before the command is a part of a part: it is no way out of it, as far as anybody can
    /// tell.
    private boolean delimited(int delimiter, int count) {
        at++;
        boolean bracket = false;
        for (int parts = 0; at < script.length(); at++) {
            int c = script.at(at);
            if (delimiter < 0 || (c == Shape.STAR && delimiter != '/')) {
                return false;
            }
            if (c == '\\') {
                at++;
            } else if (c == '[' && parts == 0 && delimiter != '[') {
                bracket = script.indexOf(']', at + 1) > 0;
            } else if (c == ']') {
                bracket = false;
            } else if (c == delimiter && !bracket && ++parts == count) {
                at++;
                return true;
            }
        }
        return false;
    }

    private void skip(String characters) {
        while (at < script.length() && isOneOf(script.at(at), characters)) {
            at++;
        }
    }

    private static boolean isOneOf(int atom, String characters) {
        return atom >= 0 && characters.indexOf(atom) >= 0;
    }

    /// The name up to the end of the line, without blanks around it.
    private Shape file() {
        skip(" \t");
        Shape name = lineRest();
        int end = name.length();
        while (end > 0 && isOneOf(name.at(end - 1), " \t\r")) {
            end--;
        }
        return name.part(0, end);
    }

    private Shape lineRest() {
        int end = script.indexOf('\n', at);
        Shape rest = script.part(at, end < 0 ? script.length() : end);
        at = end < 0 ? script.length() : end + 1;
        return rest;
    }
}
