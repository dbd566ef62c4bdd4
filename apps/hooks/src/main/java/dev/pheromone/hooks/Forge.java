package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// `gh` and its like: most of what they do is on the network, but some commands rewrite the tree,
/// bring files here, or run what they were told before.
final class Forge {
    private static final Set<Access> REWRITE = Set.of(Access.WRITE, Access.ERASE);

    private static final Set<String> KNOWN =
            Set.of(
                    ("api attestation auth browse cache codespace cs completion config gist gpg-key"
                         + " help issue label org pr mr preview project release repo ruleset run"
                         + " search secret ssh-key status variable version workflow ci milestone"
                         + " snippet token user job schedule iteration deploy-key changelog cluster"
                         + " stack copilot agent-task")
                            .split(" "));

    /// Commands that take files, with the number of words before these.
    private static final Map<String, Integer> TAKING_FILES =
            Map.of(
                    "gist create", 2,
                    "gist edit", 3,
                    "release create", 3,
                    "release upload", 3,
                    "codespace cp", 2,
                    "cs cp", 2,
                    "ssh-key add", 2,
                    "gpg-key add", 2);

    private static final Set<String> FILE_OPTIONS =
            Set.of("-F", "--body-file", "--notes-file", "--input", "--env-file");

    private Forge() {}

    static void follow(Invocation call) throws ShellSyntaxException {
        ProgramRule.of("gh").follow(call);
        for (Shape word : call.arguments()) {
            int label = word.indexOf('#', 0);
            if (label > 0) {
                // `release upload v1 'FILE#what people see'`.
                call.guess(word.part(0, label), Set.of(Access.READ), Extent.PATH);
            }
        }
        var words = new ArrayList<String>();
        for (Shape word : call.arguments()) {
            if (!word.startsWith("-")) {
                words.add(word.toString());
            }
        }
        noteUnknown(call);
        String topic = words.isEmpty() ? "help" : words.getFirst();
        String verb = words.size() < 2 ? "" : words.get(1);
        switch (topic + " " + verb) {
            case "pr checkout", "pr co", "mr checkout", "repo sync", "pr update-branch" ->
                    call.doubt("may rewrite any file", REWRITE);
            case "pr merge", "mr merge" -> {
                if (call.has("-d", "--delete-branch")) {
                    call.doubt("may rewrite any file", REWRITE);
                }
            }
            case "pr diff", "mr diff" -> call.doubt("may show any file", Set.of(Access.READ));
            case "release download", "run download", "job artifact" ->
                    call.guess(folder(call), REWRITE, Extent.TREE);
            case "repo clone" -> {
                for (Shape word : call.from(2)) {
                    call.guess(word, Doubt.ANYTHING, Extent.TREE);
                }
            }
            default -> {
                boolean help = call.arguments().size() == 1 && call.has("--version", "--help");
                if (!KNOWN.contains(topic) && !help) {
                    call.doubt("is not known, or an alias");
                }
            }
        }
    }

    /// Files that nobody knows before it runs.
    private static void noteUnknown(Invocation call) throws ShellSyntaxException {
        var files = new ArrayList<Shape>();
        List<Shape> operands = ProgramRule.of("gh").operands(call);
        if (operands.size() > 2) {
            Integer before = TAKING_FILES.get(operands.get(0) + " " + operands.get(1));
            int start = before == null ? operands.size() : before;
            files.addAll(operands.subList(Math.min(start, operands.size()), operands.size()));
        }
        for (int i = 0; i + 1 < call.arguments().size(); i++) {
            if (FILE_OPTIONS.contains(call.arguments().get(i).toString())) {
                files.add(call.arguments().get(i + 1));
            }
        }
        for (int i = 0; i + 1 < call.arguments().size(); i++) {
            Shape field = call.arguments().get(i + 1);
            int sign = field.indexOf('=', 0);
            if (call.arguments().get(i).is("-F") || call.arguments().get(i).is("--field")) {
                // `key=@FILE`, if the value begins so.
                files.add(field.from(sign + 1));
            }
        }
        for (Shape file : files) {
            if (file.startsWithGap()) {
                call.touch(file, Role.READ, Extent.PATH);
            }
        }
    }

    /// Where it puts what it brings.
    private static Shape folder(Invocation call) {
        List<Shape> arguments = call.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            Shape word = arguments.get(i);
            boolean next = (word.is("-D") || word.is("--dir")) && i + 1 < arguments.size();
            if (next) {
                return arguments.get(i + 1);
            }
            if (word.startsWith("--dir=") || (word.startsWith("-D") && word.length() > 2)) {
                return word.from(word.startsWith("--") ? 6 : 2);
            }
        }
        return Shape.of(".");
    }
}
