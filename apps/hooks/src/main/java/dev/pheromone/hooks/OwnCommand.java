package dev.pheromone.hooks;

import java.util.List;
import java.util.Set;

/// `rsm` typed by an agent. It asks the guard itself, and refuses in an agent's session what is for
/// people; but it knows a session only by its environment, which a command can clear. Here we know.
final class OwnCommand {

    private static final Set<String> OPTIONS_WITH_VALUE = Set.of("--root", "--actor");

    private OwnCommand() {}

    static boolean isNamed(String program) {
        return program.substring(program.lastIndexOf('/') + 1).equals("rsm");
    }

    /// Notes what `call` would do that is for people.
    static void note(Invocation call) throws ShellSyntaxException {
        int at = verbIndex(call);
        if (at == call.arguments().size()) {
            return;
        }
        String verb = call.plain(at);
        if (verb == null) {
            call.run().log().forPeople("an rsm command that is known only when it runs");
            return;
        }
        boolean isForPeople =
                switch (verb) {
                    case "unlock" -> true;
                    case "embargo" -> names(call, at, "release") && isFlagged(call, at, "--yes");
                    case "keys" -> names(call, at, "trust") || names(call, at, "revoke");
                    case "archive" -> names(call, at, "approve");
                    case "lock" -> names(call, at, "trust-guard");
                    case "setup" -> isFlagged(call, at, "--remove");
                    case "redact" -> isFlagged(call, at, "--yes");
                    default -> false;
                };
        if (verb.equals("verify")) {
            for (Shape file : call.from(at + 1)) {
                call.guess(file, Role.READ.access(), Extent.PATH);
            }
        }
        for (int i = at; i < call.arguments().size(); i++) {
            if (verb.equals("work") && call.arguments().get(i).is("--")) {
                call.call(call.from(i + 1));
            }
        }
        if (isForPeople && !isFlagged(call, at, "--help")) {
            call.run().log().forPeople("rsm " + verb);
        }
    }

    private static int verbIndex(Invocation call) {
        List<Shape> arguments = call.arguments();
        int at = 0;
        while (at < arguments.size()) {
            String argument = call.plain(at);
            if (argument == null || !argument.startsWith("-")) {
                break;
            }
            at += OPTIONS_WITH_VALUE.contains(argument) ? 2 : 1;
        }
        return Math.min(at, arguments.size());
    }

    /// Whether the word stands behind the verb; a word that is not known may be it.
    private static boolean names(Invocation call, int verb, String word) {
        for (int i = verb + 1; i < call.arguments().size(); i++) {
            String argument = call.plain(i);
            if (argument == null || argument.equals(word)) {
                return true;
            }
        }
        return false;
    }

    /// Whether the option is there; a word that is not known may be it.
    private static boolean isFlagged(Invocation call, int verb, String option) {
        for (int i = verb + 1; i < call.arguments().size(); i++) {
            String argument = call.plain(i);
            if (argument == null ? !option.equals("--help") : argument.equals(option)) {
                return true;
            }
        }
        return false;
    }
}
