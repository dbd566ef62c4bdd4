package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// `git`: some commands only look at history and names, some show contents, some rewrite the tree.
final class GitCommand {
    private static final Set<Access> READ = Set.of(Access.READ);
    private static final Set<Access> REWRITE = Set.of(Access.WRITE, Access.ERASE);

    /// Names and history: no content of a file in the work tree is read or written.
    private static final Set<String> HARMLESS =
            Set.of(
                    "status",
                    "branch",
                    "tag",
                    "remote",
                    "fetch",
                    "rev-parse",
                    "rev-list",
                    "describe",
                    "reflog",
                    "shortlog",
                    "ls-remote",
                    "init",
                    "help",
                    "version",
                    "symbolic-ref",
                    "merge-base",
                    "for-each-ref",
                    "show-ref",
                    "name-rev",
                    "count-objects",
                    "gc",
                    "ls-files",
                    "ls-tree",
                    "check-ignore",
                    "check-attr",
                    "whatchanged",
                    "cherry",
                    "maintenance",
                    "prune",
                    "fsck",
                    "var",
                    "update-ref",
                    "pack-refs",
                    "repack",
                    "show-branch",
                    "commit-tree",
                    "notes");

    /// They may write any file of the tree.
    private static final Set<String> REWRITING =
            Set.of(
                    "merge",
                    "pull",
                    "rebase",
                    "cherry-pick",
                    "revert",
                    "am",
                    "submodule",
                    "sparse-checkout",
                    "read-tree",
                    "checkout-index",
                    "replace",
                    "subtree",
                    "lfs",
                    "mergetool");

    /// They show contents; paths after `--` narrow it down.
    private static final Set<String> SHOWING =
            Set.of(
                    "log",
                    "show",
                    "diff",
                    "grep",
                    "format-patch",
                    "archive",
                    "cat-file",
                    "diff-tree",
                    "diff-index",
                    "diff-files",
                    "range-diff",
                    "blame",
                    "annotate",
                    "bundle",
                    "fast-export");

    /// Of these, words that look like paths may be where the copy goes.
    private static final Set<String> COPYING =
            Set.of("archive", "bundle", "fast-export", "format-patch", "cat-file");

    private static final Set<String> SUMMARIES =
            Set.of(
                    "--stat",
                    "--shortstat",
                    "--numstat",
                    "--name-only",
                    "--name-status",
                    "--no-patch",
                    "-s",
                    "--quiet",
                    "--summary",
                    "--dirstat");

    private static final Map<String, ProgramRule> RULES =
            Map.of(
                    "add",
                            ProgramRule.parse(
                                    "read", "--chmod:data --pathspec-from-file:read", "always"),
                    "stage", ProgramRule.parse("read", "", "always"),
                    "commit",
                            ProgramRule.parse(
                                    "read",
                                    "-m,--message,-C,-c,--author,--date,--trailer,--cleanup,--fixup,--squash:data"
                                        + " -F,--file,-t,--template:read",
                                    "always"),
                    "rm", ProgramRule.parse("erase", "", "always"),
                    "mv", ProgramRule.parse("erase target", "", "always"),
                    "restore", ProgramRule.parse("write", "-s,--source:data", "always"),
                    "clean", ProgramRule.parse("erase", "-e,--exclude:data", "always here"),
                    "hash-object", ProgramRule.parse("read", "-t:data", ""),
                    "update-index", ProgramRule.parse("read", "--cacheinfo:data", ""),
                    "apply",
                            ProgramRule.parse(
                                    "read", "-p,-C,--directory,--exclude,--include:data", ""));

    private static final Pattern RUNS_COMMANDS =
            Pattern.compile(
                    "(?i).*(?:alias|pager|editor|command|textconv|external|fsmonitor|hook|helper|"
                            + "driver|filter|askpass|program|cmd|proxy|include).*=.*");

    /// They take a message, or a file that has it.
    private static final Set<String> SPEAKING = Set.of("tag", "notes", "commit-tree", "merge");

    private static final ProgramRule MESSAGES =
            ProgramRule.parse("data", "-m,--message,-u,-C,-c:data -F,--file:read", "");

    private GitCommand() {}

    static void follow(Invocation git) throws ShellSyntaxException {
        ShellState state = git.state().copy();
        List<Shape> arguments = git.arguments();
        int i = 0;
        while (i < arguments.size() && arguments.get(i).startsWith("-")) {
            String option = arguments.get(i++).toString();
            Shape next = i < arguments.size() ? arguments.get(i) : Shape.EMPTY;
            switch (option) {
                case "-C" -> {
                    state.enter(next);
                    i++;
                }
                case "-c" -> {
                    if (!next.isPlain() || RUNS_COMMANDS.matcher(next.toString()).matches()) {
                        git.doubt("is told to run something");
                    }
                    i++;
                }
                case "--version",
                        "--help",
                        "-p",
                        "--paginate",
                        "-P",
                        "--no-pager",
                        "--no-optional-locks" -> {}
                default -> git.doubt("has options that are not followed");
            }
        }
        if (i < arguments.size()) {
            Shape verb = arguments.get(i);
            var call = new Invocation(git.run(), state, "git " + verb, git.from(i + 1), git.text());
            verb(call, verb.toString());
        }
    }

    private static void verb(Invocation call, String verb) throws ShellSyntaxException {
        boolean told =
                call.hasShortened("--upload-pack", "--receive-pack", "--exec", "--extcmd")
                        || call.arguments().stream().anyMatch(word -> word.startsWith("ext::"))
                        || (verb.equals("clone") && call.has("-u"));
        if (told) {
            call.doubt("is told to run something");
            LastNet.noteAll(call);
        }
        if (SPEAKING.contains(verb)) {
            MESSAGES.follow(call);
        }
        ProgramRule rule = RULES.get(verb);
        if (rule != null) {
            byRule(call, verb, rule);
        } else if (SHOWING.contains(verb)) {
            shows(call, verb);
        } else if (REWRITING.contains(verb)) {
            call.doubt("may rewrite any file", REWRITE);
        } else if (!HARMLESS.contains(verb)) {
            other(call, verb);
        }
    }

    private static void byRule(Invocation call, String verb, ProgramRule rule)
            throws ShellSyntaxException {
        boolean indexOnly =
                switch (verb) {
                    case "rm" -> call.has("--cached");
                    case "restore" -> call.has("--staged", "-S") && !call.has("--worktree", "-W");
                    case "clean" -> call.has("-n", "--dry-run");
                    default -> false;
                };
        if (indexOnly) {
            return;
        }
        rule.follow(call);
        boolean all =
                verb.equals("add")
                        ? call.has("-A", "--all", "-u", "-p", "-i")
                        : call.has("-a", "--all", "-p");
        if ((verb.equals("add") || verb.equals("commit")) && all) {
            call.doubt("takes in every changed file", READ);
        }
        if (verb.equals("apply") && !call.has("--check", "--stat", "--numstat", "--cached")) {
            call.doubt("changes the files that the patch names", REWRITE);
        }
    }

    private static void shows(Invocation call, String verb) throws ShellSyntaxException {
        var revisions = new ArrayList<Shape>();
        var paths = new ArrayList<Shape>();
        boolean contents =
                !verb.equals("log")
                        || call.has("-p", "-u", "--patch", "-L", "--cc", "-c", "--ext-diff");
        boolean summary = false;
        boolean separated = false;
        for (int i = 0; i < call.arguments().size(); i++) {
            Shape argument = call.arguments().get(i);
            String text = argument.toString();
            if (separated) {
                paths.add(argument);
            } else if (argument.is("--")) {
                separated = true;
            } else if (argument.startsWith("-")) {
                summary |= SUMMARIES.contains(text) || text.startsWith("--stat=");
                i += Set.of("-S", "-G", "-e", "-n", "-m", "-O", "--format").contains(text) ? 1 : 0;
                if (text.startsWith("--output=") || text.startsWith("--output-directory=")) {
                    call.touch(argument.from(text.indexOf('=') + 1), Role.WRITE, Extent.PATH);
                } else if (text.equals("-o")
                        || text.equals("--output")
                        || text.equals("--no-index")) {
                    call.doubt("has options that are not followed");
                }
            } else {
                revisions.add(argument);
            }
        }
        if (verb.equals("grep") && !revisions.isEmpty() && !call.has("-e", "-f")) {
            revisions.removeFirst();
        }
        summary &=
                !call.has("-p", "--patch", "-u")
                        && !verb.equals("grep")
                        && !verb.equals("cat-file");
        if (!contents || summary) {
            return;
        }
        boolean narrowed = !paths.isEmpty();
        for (Shape revision : revisions) {
            int colon = revision.indexOf(':', 0);
            if (colon >= 0) {
                inHistory(call, revision.from(colon + 1));
                narrowed = true;
            } else if (looksLikePath(revision) && !COPYING.contains(verb)) {
                paths.add(revision);
                narrowed = true;
            }
        }
        for (Shape path : paths) {
            call.touch(path, Role.READ, Extent.TREE);
        }
        if (!narrowed) {
            call.doubt("may show any file", READ);
        }
    }

    /// A path in a revision counts from the top of the repository: one of the folders above us.
    private static void inHistory(Invocation call, Shape path) throws ShellSyntaxException {
        call.touch(path, Role.READ, Extent.TREE);
        Shape up = path;
        for (int i = 0; i < 12; i++) {
            up = Shape.of("../").plus(up);
            call.guess(up, READ, Extent.TREE);
        }
    }

    private static boolean isFolder(Shape word) {
        return word.startsWith("/") || word.startsWith(".") || word.startsWith("file:");
    }

    private static boolean looksLikePath(Shape word) {
        String text = word.toString();
        return !text.contains("..")
                && (text.indexOf('/') >= 0 || text.indexOf('.') >= 0)
                && !text.startsWith("origin/");
    }

    private static void other(Invocation call, String verb) throws ShellSyntaxException {
        switch (verb) {
            case "checkout" -> checkout(call);
            case "switch" -> {
                if (!call.has("-c", "-C", "--create", "--orphan")) {
                    call.doubt("may rewrite any file", REWRITE);
                }
            }
            case "reset" -> {
                if (call.has("--hard", "--merge", "--keep")) {
                    call.doubt("may rewrite any file", REWRITE);
                }
            }
            case "stash" -> {
                String first =
                        call.arguments().isEmpty()
                                ? "push"
                                : call.arguments().getFirst().toString();
                if (first.equals("show")) {
                    call.doubt("may show any file", READ);
                } else if (!first.equals("list")
                        && !first.equals("drop")
                        && !first.equals("clear")) {
                    call.doubt("may rewrite any file", REWRITE);
                }
            }
            case "worktree" -> {
                for (Shape argument : call.from(1)) {
                    call.guess(argument, REWRITE, Extent.PATH);
                }
                boolean isAdding =
                        !call.arguments().isEmpty()
                                && (call.arguments().getFirst().is("add")
                                        || !call.arguments().getFirst().isPlain());
                if (isAdding && !call.has("--no-checkout", "--orphan")) {
                    // Locks hold in every work tree, so the new one has them, too.
                    call.doubt("copies every file into a new work tree");
                }
            }
            case "clone" -> {
                for (Shape argument : call.arguments()) {
                    call.guess(argument, Doubt.ANYTHING, Extent.TREE);
                }
            }
            case "push" -> {
                if (call.arguments().stream().anyMatch(GitCommand::isFolder)) {
                    call.doubt("copies every file to a folder", READ);
                }
            }
            case "config" -> {
                String words = Builtins.joined(call.arguments()).toString();
                if (RUNS_COMMANDS.matcher(words.replaceFirst(" ", "=")).matches()) {
                    call.doubt("may be told to run something");
                }
            }
            default -> call.doubt("is not known, or an alias");
        }
    }

    private static void checkout(Invocation call) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        int separator = -1;
        for (int i = 0; i < arguments.size() && separator < 0; i++) {
            separator = arguments.get(i).is("--") ? i : -1;
        }
        boolean paths = separator >= 0;
        for (Shape path : call.from(separator + 1)) {
            if (paths || looksLikePath(path) || path.is(".")) {
                call.touch(path, Role.WRITE, Extent.TREE);
                paths = true;
            }
        }
        if (!paths && !call.has("-b", "-B", "--orphan")) {
            call.doubt("may rewrite any file", REWRITE);
        }
    }
}
