package dev.pheromone.hooks;

/// Looks through a sed script for the commands that read and write files.
final class SedScript {
    private final Invocation call;
    private final String text;
    private int at;

    private SedScript(Invocation call, String text) {
        this.call = call;
        this.text = text;
    }

    static void follow(Invocation call, Shape script) throws ShellSyntaxException {
        if (!script.isPlain()) {
            // A variable in the middle of s/…/…/ is common; what it holds could be a command.
            call.doubt("its script is known only when it runs");
            return;
        }
        if (!new SedScript(call, script.toString()).commands()) {
            call.doubt("its script is not understood");
        }
    }

    /// False if something is not understood.
    private boolean commands() throws ShellSyntaxException {
        while (true) {
            skip(" \t\n;");
            if (at >= text.length()) {
                return true;
            }
            if (text.charAt(at) == '#') {
                lineRest();
            } else if (!address() || !command()) {
                return false;
            }
        }
    }

    private boolean address() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '/' || c == '\\') {
                at += c == '\\' ? 1 : 0;
                if (at >= text.length() || !delimited(text.charAt(at), 1)) {
                    return false;
                }
                skip("IM");
            } else if (Character.isDigit(c) || "$,~+! \t".indexOf(c) >= 0) {
                at++;
            } else {
                return true;
            }
        }
        return false;
    }

    private boolean command() throws ShellSyntaxException {
        char c = text.charAt(at++);
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
                while (at < text.length() && ";}\n".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
            }
            case 'a', 'i', 'c' -> {
                String line = lineRest();
                while (line.endsWith("\\") && at < text.length()) {
                    line = lineRest();
                }
            }
            case 'r', 'R' -> call.touch(Shape.of(lineRest().strip()), Role.READ, Extent.PATH);
            case 'w', 'W' -> call.touch(Shape.of(lineRest().strip()), Role.WRITE, Extent.PATH);
            case 'y' -> {
                return at < text.length() && delimited(text.charAt(at), 2);
            }
            case 's' -> {
                return at < text.length() && delimited(text.charAt(at), 2) && flags();
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean flags() throws ShellSyntaxException {
        while (at < text.length() && ";}\n \t".indexOf(text.charAt(at)) < 0) {
            char flag = text.charAt(at++);
            if (flag == 'w') {
                call.touch(Shape.of(lineRest().strip()), Role.WRITE, Extent.PATH);
            } else if ("gpiImM0123456789".indexOf(flag) < 0) {
                return false;
            }
        }
        return true;
    }

    /// Moves behind `count` parts that end with `delimiter`, which stands here.
    private boolean delimited(char delimiter, int count) {
        at++;
        boolean bracket = false;
        for (int parts = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\\') {
                at++;
            } else if (c == '[' && parts == 0 && delimiter != '[') {
                bracket = text.indexOf(']', at + 1) > 0;
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
        while (at < text.length() && characters.indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private String lineRest() {
        int end = text.indexOf('\n', at);
        String rest = text.substring(Math.min(at, text.length()), end < 0 ? text.length() : end);
        at = end < 0 ? text.length() : end + 1;
        return rest;
    }
}
