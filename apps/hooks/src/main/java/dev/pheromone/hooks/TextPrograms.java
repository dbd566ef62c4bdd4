package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// `sed` and `awk`: a script, then the files it works on; and editors that are told a line.
final class TextPrograms {
    /// Options of awk that load more of a program, alone or behind letters that take no value.
    private static final Pattern AWK_LOADS =
            Pattern.compile("^-[bcCghkMnNOPrsStV]*[ileEW]|^-[bcCghkMnNOPrsStV]+f");

    private static final ProgramRule READING_QUERY = ProgramRule.parse("goal read", "", "");

    private TextPrograms() {}

    static void sed(Invocation call) throws ShellSyntaxException {
        var operands = new ArrayList<Shape>();
        var scripts = new ArrayList<Shape>();
        boolean inPlace = false;
        List<Shape> arguments = call.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            Shape argument = arguments.get(i);
            String option = argument.toString();
            Shape next = i + 1 < arguments.size() ? arguments.get(i + 1) : Shape.EMPTY;
            if (argument.is("--")) {
                operands.addAll(call.from(i + 1));
                break;
            }
            if (argument.startsWith("--")) {
                // Names may be cut short.
                int sign = option.indexOf('=');
                String name = sign < 0 ? option : option.substring(0, sign);
                inPlace |= "--in-place".startsWith(name);
                boolean file = name.startsWith("--fi") && "--file".startsWith(name);
                if (file || "--expression".startsWith(name)) {
                    script(call, scripts, file, sign < 0 ? next : argument.from(sign + 1));
                    i += sign < 0 ? 1 : 0;
                }
            } else if (argument.startsWith("-") && argument.length() > 1) {
                // -i takes the rest of its cluster as a suffix; e and f take the rest or the next
                // word.
                int at = 1;
                while (at < option.length() && "efil".indexOf(option.charAt(at)) < 0) {
                    at++;
                }
                char letter = at < option.length() ? option.charAt(at) : 0;
                inPlace |= letter == 'i';
                if (letter == 'e' || letter == 'f') {
                    boolean glued = at + 1 < argument.length();
                    script(call, scripts, letter == 'f', glued ? argument.from(at + 1) : next);
                    i += glued ? 0 : 1;
                } else if (letter == 'l' && at + 1 == option.length()) {
                    i++;
                } else if (letter == 'i' && option.equals("-i") && next.isEmpty()) {
                    // `sed -i '' …`: the other family's empty suffix.
                    i += i + 1 < arguments.size() ? 1 : 0;
                }
            } else {
                operands.add(argument);
            }
        }
        if (scripts.isEmpty() && !operands.isEmpty() && !call.has("-f", "--file")) {
            scripts.add(operands.removeFirst());
        }
        for (Shape script : scripts) {
            SedScript.follow(call, script);
        }
        for (Shape operand : operands) {
            call.touch(operand, inPlace ? Role.CHANGE : Role.READ, Extent.PATH);
            if (inPlace) {
                call.run().log().changed(operand);
                call.run().log().wrote(operand, Builtins.joined(scripts).plus("\n"));
            }
        }
    }

    private static void script(Invocation call, List<Shape> scripts, boolean file, Shape value)
            throws ShellSyntaxException {
        if (file) {
            Interpreters.readScript(call, value);
        } else {
            scripts.add(value);
        }
    }

    /// Questions to documents, and documents, that may take in other files.
    static void query(Invocation call) throws ShellSyntaxException {
        boolean changes = call.hasShortened("-i", "--inplace", "--in-place");
        boolean reads = call.program().equals("yq") && !changes;
        (reads ? READING_QUERY : ProgramRule.of(call.program())).follow(call);
        for (Shape word : call.arguments()) {
            if (word.contains('(')) {
                LastNet.note(call, word);
            }
        }
        LastNet.noteInput(call);
    }

    /// `code -g FILE:LINE:COLUMN`.
    static void code(Invocation call) throws ShellSyntaxException {
        ProgramRule.of(call.program()).follow(call);
        for (Shape word : call.arguments()) {
            for (int at = word.indexOf(':', 0); at > 0; at = word.indexOf(':', at + 1)) {
                call.touch(word.part(0, at), Role.CHANGE, Extent.PATH);
            }
        }
    }

    static void awk(Invocation call) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        boolean program = false;
        for (int i = 0; i < arguments.size(); i++) {
            Shape argument = arguments.get(i);
            boolean more = i + 1 < arguments.size();
            if (argument.is("-f") && more) {
                Interpreters.readScript(call, arguments.get(++i));
                program = true;
            } else if ((argument.is("-F") || argument.is("-v")) && more) {
                i++;
            } else if (argument.startsWith("-f")) {
                Interpreters.readScript(call, argument.from(2));
                program = true;
            } else if (argument.startsWith("--") || AWK_LOADS.matcher(argument.toString()).find()) {
                call.doubt("has options that are not followed");
            } else if (argument.toString().matches("-[dop].+")) {
                call.touch(argument.from(2), Role.WRITE, Extent.PATH);
            } else if (!program && !isOption(argument)) {
                program = true;
                AwkProgram.follow(call, argument);
            } else if (!isOption(argument)) {
                int sign = argument.indexOf('=', 0);
                boolean assignment =
                        sign > 0 && WordReader.isName(argument.part(0, sign).toString());
                if (!assignment) {
                    call.touch(argument, Role.READ, Extent.PATH);
                }
            }
        }
    }

    private static boolean isOption(Shape argument) {
        return argument.startsWith("-") && argument.length() > 1;
    }
}
