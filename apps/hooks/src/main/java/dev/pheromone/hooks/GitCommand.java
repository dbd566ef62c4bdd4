package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

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
                    "branch",
                    "tag",
                    "remote",
                    "fetch",
                    "rev-parse",
                    "rev-list",
                    "describe",
                    "shortlog",
                    "ls-remote",
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
                    "sparse-checkout",
                    "read-tree",
                    "checkout-index",
                    "replace",
                    "subtree",
                    "lfs",
                    "mergetool");

    private static final Map<String, ProgramRule> RULES =
            Map.of(
                    "mv", ProgramRule.parse("erase target", "", "always"),
                    "hash-object", ProgramRule.parse("read", "-t:data", ""),
                    "update-index", ProgramRule.parse("read", "--cacheinfo:data", ""),
                    "apply",
                            ProgramRule.parse(
                                    "read", "-p,-C,--directory,--exclude,--include:data", ""));

    private static final Pattern RUNS_COMMANDS =
            Pattern.compile(
                    "(?is).*(?:alias|pager|editor|command|textconv|external|fsmonitor|hook|helper|"
                            + "driver|filter|askpass|program|cmd|proxy|include|uploadpack"
                            + "|receivepack|insteadof|worktree|\\.vcs).*=.*|(?:.*[=. ])?ext::.*");

    /// Programs in its folder that it runs by itself.
    private static final Set<String> HOOKS =
            Set.of(
                    ("pre-commit prepare-commit-msg commit-msg post-commit pre-push pre-rebase"
                         + " post-checkout post-merge pre-merge-commit post-rewrite applypatch-msg"
                         + " pre-applypatch post-applypatch reference-transaction post-index-change"
                         + " fsmonitor-watchman")
                            .split(" "));

    /// They take a message, or a file that has it.
    private static final Set<String> SPEAKING = Set.of("tag", "notes", "commit-tree", "merge");

    private static final ProgramRule MESSAGES =
            ProgramRule.parse("data", "-m,--message,-u,-C,-c:data -F,--file:read", "");

    private GitCommand() {}

    private static Shape valueOf(String option) {
        return Shape.of(option.substring(option.indexOf('=') + 1));
    }

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
                    git.run().log().runIn(state.folders());
                    i++;
                }
                case "-c" -> {
                    if (!next.isPlain() || RUNS_COMMANDS.matcher(next.toString()).matches()) {
                        git.doubt("is told to run something");
                    }
                    int sign = next.indexOf('=', 0);
                    var set = new Invocation(git.run(), state, "git", List.of(), null);
                    GitObjects.setting(set, next.part(0, Math.max(0, sign)), next.from(sign + 1));
                    i++;
                }
                case "--version",
                        "--help",
                        "-p",
                        "--paginate",
                        "-P",
                        "--no-pager",
                        "--no-optional-locks" -> {}
                default -> {
                    git.doubt("has options that are not followed");
                    ShellState there = git.state().copy();
                    there.enter(option.contains("=") ? valueOf(option) : next);
                    git.run().log().runIn(there.folders());
                }
            }
        }
        for (String hook : HOOKS) {
            LastNet.noteRun(git.withArguments(hook, List.of()), Shape.of(hook));
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
        GitObjects.note(call, verb);
        if (HARMLESS.contains(verb)) {
            for (Shape file : new GitWords(call, "--output").values("--output")) {
                call.touch(file, Role.WRITE, Extent.PATH);
            }
        }
        ProgramRule rule = RULES.get(verb);
        if (rule != null) {
            rule.follow(call);
            boolean looks = call.has("--check", "--stat", "--numstat", "--cached");
            if (verb.equals("apply") && (!looks || call.hasShortened("--apply"))) {
                call.doubt("changes the files that the patch names", REWRITE);
            }
        } else if (GitShow.isOne(verb)) {
            GitShow.follow(call, verb);
        } else if (GitFiles.isOne(verb)) {
            GitFiles.follow(call, verb);
        } else if (REWRITING.contains(verb)) {
            call.doubt("may rewrite any file", REWRITE);
        } else if (!HARMLESS.contains(verb)) {
            other(call, verb);
        }
    }

    static boolean isFolder(Shape word) {
        return word.startsWith("/") || word.startsWith(".") || word.startsWith("file:");
    }

    private static String first(Invocation call, String otherwise) {
        return call.arguments().isEmpty() ? otherwise : call.arguments().getFirst().toString();
    }

    private static void other(Invocation call, String verb) throws ShellSyntaxException {
        switch (verb) {
            case "status" -> {
                if (new GitWords(call, "").mayHave("-v", "--verbose")) {
                    call.doubt("may show any file", READ);
                }
            }
            case "init" -> {
                var words = new GitWords(call, "-b --initial-branch --template --separate-git-dir");
                for (Shape template : words.values("--template")) {
                    call.touch(template, Role.READ, Extent.TREE);
                }
                for (Shape folder : words.values("--separate-git-dir")) {
                    call.touch(folder, Role.WRITE, Extent.PATH);
                }
                for (Shape folder : words.all()) {
                    call.touch(folder, Role.APPEND, Extent.PATH);
                }
            }
            case "stash" -> {
                String first = first(call, "push");
                if (first.equals("show") || first.equals("list")) {
                    GitShow.follow(
                            call.withArguments(call.program(), call.from(1)), "stash " + first);
                } else if (!first.equals("drop") && !first.equals("clear")) {
                    call.doubt("may rewrite any file", REWRITE);
                    GitFiles.stash(call, first);
                }
            }
            case "submodule" -> {
                String first = first(call, "status");
                if (first.equals("foreach")) {
                    call.doubt("runs commands in other folders");
                    LastNet.noteAll(call);
                } else if (!Set.of("status", "summary", "init", "sync").contains(first)) {
                    call.doubt("may rewrite any file", REWRITE);
                }
            }
            case "bisect" -> {
                String first = first(call, "help");
                if (first.equals("view") || first.equals("visualize")) {
                    GitShow.follow(call.withArguments(call.program(), call.from(1)), "log");
                } else if (first.equals("run")) {
                    call.doubt("runs a command for older files");
                    call.call(call.from(1));
                } else if (!Set.of("log", "terms", "help").contains(first)) {
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
                } else if (isAdding) {
                    GitObjects.workTree(call);
                }
            }
            case "clone" -> clone(call);
            case "push" -> {
                if (call.arguments().stream().anyMatch(GitCommand::isFolder)) {
                    call.doubt("copies every file to a folder", READ);
                }
            }
            case "config" -> config(call);
            default -> call.doubt("is not known, or an alias");
        }
    }

    private static void clone(Invocation call) throws ShellSyntaxException {
        for (Shape argument : call.arguments()) {
            GitObjects.copied(call, argument, Doubt.ANYTHING);
            if (RUNS_COMMANDS.matcher(argument.toString()).matches()) {
                call.doubt("may be told to run something");
            }
        }
    }

    private static void config(Invocation call) throws ShellSyntaxException {
        var words = new GitWords(call, "-f --file --blob --type --default --comment");
        boolean reads =
                words.has("-l", "--list", "--get", "--get-all", "--get-regexp")
                        || words.before().stream().anyMatch(word -> word.is("list"));
        String all = Builtins.joined(call.arguments()).toString();
        boolean sets = !reads && call.arguments().size() > 1;
        if (words.mayHave("-e", "--edit") || (sets && RUNS_COMMANDS.matcher(all + "=").matches())) {
            call.doubt("may be told to run something");
        }
        List<Shape> set = words.all();
        if (sets && set.size() > 1) {
            GitObjects.setting(call, set.get(set.size() - 2), set.getLast());
        }
        for (Shape file : words.values("-f", "--file")) {
            call.touch(file, reads ? Role.READ : Role.CHANGE, Extent.PATH);
        }
        if (!words.values("--blob").isEmpty()) {
            call.doubt("may show any file", READ);
        }
    }
}
