package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// A program of which we know nothing: every word that could be a path may be read, written,
/// erased, and searched if it is a folder.
final class UnknownProgram {
    private static final String SEPARATORS = "=:,@";

    /// They write what nobody could read before.
    private static final Set<String> DECODING = Set.of("openssl", "gpg", "gpg2", "age", "uudecode");

    private UnknownProgram() {}

    static void follow(Invocation call) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        Set<Access> access = Linters.onlyReads(call) ? Set.of(Access.READ) : Doubt.ANYTHING;
        for (int i = 0; i < arguments.size(); i++) {
            for (Shape candidate : candidates(arguments.get(i))) {
                call.guess(candidate, access, Extent.TREE);
                LastNet.noteNamed(call, candidate);
                if (DECODING.contains(call.program())) {
                    call.run().log().wroteUnclearly(candidate);
                }
            }
            if (Programs.runsCommands(arguments.get(i))) {
                // Such as `watch sh -c …`: what follows may be run.
                call.call(arguments.subList(i, arguments.size()));
            }
        }
        LastNet.noteAll(call);
        LastNet.noteWritten(call);
    }

    /// The word, and its parts that could be paths on their own: `--out=x`, `a:b`, `@file`, `-Ix`.
    static Set<Shape> candidates(Shape word) {
        var candidates = new LinkedHashSet<Shape>();
        if (!word.startsWith("-")) {
            candidates.add(trimmed(word));
        } else if (word.length() > 2 && word.at(1) != '-') {
            candidates.add(trimmed(word.from(2)));
        }
        for (int i = 0; i < word.length(); i++) {
            if (word.at(i) >= 0 && SEPARATORS.indexOf(word.at(i)) >= 0) {
                Shape rest = word.from(i + 1);
                candidates.add(trimmed(rest));
                candidates.add(trimmed(upToSeparator(rest)));
                if (i > 0 && !word.startsWith("-")) {
                    candidates.add(trimmed(word.part(0, i)));
                }
            }
        }
        // A number, a date or a user's name is a value.
        candidates.removeIf(one -> one.isEmpty() || one.equals(Shape.ANY_NAME));
        return candidates;
    }

    private static Shape upToSeparator(Shape word) {
        for (int i = 0; i < word.length(); i++) {
            if (word.at(i) >= 0 && SEPARATORS.indexOf(word.at(i)) >= 0) {
                return word.part(0, i);
            }
        }
        return word;
    }

    /// `./...` is how some tools write "everything below".
    private static Shape trimmed(Shape word) {
        int length = word.length();
        boolean dots = length >= 4 && word.from(length - 4).is("/...");
        return dots ? word.part(0, length - 4) : word;
    }
}
