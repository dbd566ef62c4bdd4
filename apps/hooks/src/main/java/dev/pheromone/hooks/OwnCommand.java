package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;

/// `rsm` typed by an agent. It asks the guard itself, and refuses in an agent's session what is for
/// people; but it knows a session only by its environment, which a command can clear. Here we know.
final class OwnCommand {

    private static final Set<String> OPTIONS_WITH_VALUE = Set.of("--root", "--actor");

    private OwnCommand() {}

    /// Follows what `rsm` reads and runs.
    static void follow(Invocation call) throws ShellSyntaxException {
        int at = verbIndex(call.arguments());
        if (at == call.arguments().size()) {
            return;
        }
        if (call.arguments().get(at).is("verify")) {
            for (Shape file : call.from(at + 1)) {
                call.guess(file, Role.READ.access(), Extent.PATH);
            }
        }
        for (int i = at; i < call.arguments().size(); i++) {
            if (call.arguments().get(at).is("work") && call.arguments().get(i).is("--")) {
                call.call(call.from(i + 1));
            }
        }
    }

    /// Notes what `rsm` with these arguments would do that is for people.
    ///
    /// @param runs whether it is sure to be run: then a verb that is not known may be any
    static void notePeoples(List<Shape> arguments, boolean runs, TouchLog log) {
        int at = verbIndex(arguments);
        if (at == arguments.size()) {
            return;
        }
        String verb = plain(arguments.get(at));
        if (verb == null) {
            if (runs) {
                log.forPeople("an rsm command that is known only when it runs");
            }
            return;
        }
        List<Shape> rest = arguments.subList(at + 1, arguments.size());
        boolean isForPeople =
                switch (verb) {
                    case "unlock" -> true;
                    case "embargo" -> names(rest, "release") && isFlagged(rest, "--yes");
                    case "keys" ->
                            names(rest, "trust") || names(rest, "revoke") || names(rest, "confirm");
                    case "audit" -> isFlagged(rest, "--accept");
                    case "archive" -> names(rest, "approve");
                    case "lock" -> names(rest, "trust-guard");
                    case "mute", "override" -> hasOperand(rest);
                    case "setup" -> isFlagged(rest, "--remove");
                    case "redact" -> isFlagged(rest, "--yes");
                    default -> false;
                };
        if (isForPeople && !isFlagged(rest, "--help")) {
            log.forPeople("rsm " + verb);
        }
    }

    private static @Nullable String plain(Shape word) {
        return word.isPlain() ? word.toString() : null;
    }

    private static int verbIndex(List<Shape> arguments) {
        int at = 0;
        while (at < arguments.size()) {
            String argument = plain(arguments.get(at));
            if (argument == null || !argument.startsWith("-")) {
                break;
            }
            at += OPTIONS_WITH_VALUE.contains(argument) ? 2 : 1;
        }
        return Math.min(at, arguments.size());
    }

    /// Without one, `mute` only tells who is.
    private static boolean hasOperand(List<Shape> rest) {
        return verbIndex(rest) < rest.size();
    }

    /// Whether the word stands there; a word that is not known may be it.
    private static boolean names(List<Shape> rest, String word) {
        return rest.stream().anyMatch(argument -> !argument.isPlain() || argument.is(word));
    }

    /// Whether the option is there; a word that is not known may be it.
    private static boolean isFlagged(List<Shape> rest, String option) {
        boolean certain = option.equals("--help");
        return rest.stream()
                .anyMatch(argument -> argument.is(option) || (!certain && !argument.isPlain()));
    }
}
