package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// `hg`, `svn`, `jj` and their like, told apart by the first word alone: some only list names, some
/// show contents, and the others may rewrite the tree.
final class OtherRepositories {
    private static final Set<String> HARMLESS =
            Set.of(
                    ("status st stat log info help version branch branches bookmark bookmarks tag"
                         + " tags heads tip parents identify id summary ls list files manifest"
                         + " paths root incoming outgoing proplist describe desc config op"
                         + " operation timeline --version --help")
                            .split(" "));

    private static final Set<String> SHOWING =
            Set.of(
                    "diff",
                    "di",
                    "show",
                    "cat",
                    "annotate",
                    "blame",
                    "praise",
                    "ann",
                    "export",
                    "interdiff",
                    "evolog",
                    "obslog",
                    "grep",
                    "commit",
                    "ci",
                    "add",
                    "push",
                    "file");

    private OtherRepositories() {}

    static void follow(Invocation call) throws ShellSyntaxException {
        UnknownProgram.follow(call.withArguments(call.program(), withoutMessage(call)));
        List<Shape> arguments = call.arguments();
        String verb = arguments.isEmpty() ? "status" : arguments.getFirst().toString();
        boolean patch = call.has("-p", "--patch", "--git", "--diff");
        if (HARMLESS.contains(verb) && !patch) {
            return;
        }
        boolean shows = SHOWING.contains(verb) || HARMLESS.contains(verb);
        call.doubtUnless(
                shows && !patch && arguments.size() == 2 ? call.from(1) : List.of(),
                shows ? "may show any file" : "may rewrite any file",
                shows ? Set.of(Access.READ) : Doubt.ANYTHING);
    }

    private static List<Shape> withoutMessage(Invocation call) {
        var words = new ArrayList<Shape>();
        boolean message = false;
        for (Shape word : call.arguments()) {
            if (!message) {
                words.add(word);
            }
            message = word.is("-m") || word.is("--message");
        }
        return words;
    }
}
