package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The commands of git that take in files of the work tree, rewrite or remove them: those that are
/// named, or all.
final class GitFiles {
    private static final Set<Access> READ = Set.of(Access.READ);
    private static final Set<Access> ERASE = Set.of(Access.ERASE);
    private static final Set<Access> REWRITE = Set.of(Access.WRITE, Access.ERASE);

    private static final String COMMIT_VALUED =
            "-m -C -c -F -t --message --author --date --trailer --cleanup --fixup --squash --file"
                    + " --template --reuse-message --reedit-message --pathspec-from-file";

    private GitFiles() {}

    static boolean isOne(String verb) {
        return Set.of(
                        "add",
                        "stage",
                        "commit",
                        "rm",
                        "restore",
                        "clean",
                        "checkout",
                        "switch",
                        "reset")
                .contains(verb);
    }

    static void follow(Invocation call, String verb) throws ShellSyntaxException {
        var words =
                new GitWords(
                        call,
                        switch (verb) {
                            case "add", "stage" -> "--chmod --pathspec-from-file";
                            case "commit" -> COMMIT_VALUED;
                            case "restore" -> "-s --source --conflict --pathspec-from-file";
                            case "clean" -> "-e --exclude";
                            case "checkout" -> "-b -B --orphan --conflict --pathspec-from-file";
                            case "switch" -> "-c -C --create --force-create --orphan --conflict";
                            default -> "--pathspec-from-file";
                        });
        switch (verb) {
            case "checkout" -> checkout(call, words);
            case "switch" -> turn(call, words);
            case "reset" -> {
                if (words.mayHave("--hard", "--merge", "--keep")) {
                    call.doubt("may rewrite any file", REWRITE);
                }
            }
            case "commit" -> commit(call, words);
            case "rm" -> {
                if (!words.has("--cached", "-n", "--dry-run")) {
                    paths(call, words, words.all(), ERASE);
                }
            }
            case "restore" -> {
                boolean indexOnly =
                        words.has("--staged", "-S") && !words.mayHave("--worktree", "-W");
                if (!indexOnly) {
                    paths(call, words, words.all(), REWRITE);
                }
            }
            case "clean" -> {
                if (!words.has("-n", "--dry-run")) {
                    List<Shape> all = words.all();
                    paths(call, words, all.isEmpty() ? List.of(Shape.of(".")) : all, ERASE);
                }
            }
            default -> {
                paths(call, words, words.all(), READ);
                if (words.mayHave("-A", "--all", "--update", "-u", "-p", "--patch", "-i")
                        || words.mayHave("--interactive", "-e", "--edit", "--renormalize")) {
                    call.doubt("takes in every changed file", READ);
                }
            }
        }
    }

    /// `git stash` with files that git does not follow: they are taken away, locks among them.
    static void stash(Invocation call, String verb) throws ShellSyntaxException {
        var words = new GitWords(call, "-m --message --pathspec-from-file");
        boolean puts = verb.startsWith("-") || verb.equals("push") || verb.equals("save");
        if (puts && words.mayHave("-u", "--include-untracked", "-a", "--all")) {
            List<Shape> named = words.all().stream().filter(word -> !word.is(verb)).toList();
            boolean all = named.isEmpty() || verb.equals("save");
            paths(call, words, all ? List.of(Shape.of(".")) : named, ERASE);
        }
    }

    private static void paths(
            Invocation call, GitWords words, List<Shape> paths, Set<Access> access)
            throws ShellSyntaxException {
        Pathspec.touch(call, paths, access);
        if (words.mayHave("--pathspec-from-file")) {
            call.doubt("takes the names of files from a list", access);
        }
        for (Shape list : words.values("--pathspec-from-file")) {
            call.touch(list, Role.READ, Extent.PATH);
        }
    }

    private static void commit(Invocation call, GitWords words) throws ShellSyntaxException {
        paths(call, words, words.all(), READ);
        for (Shape file : words.values("-F", "-t", "--file", "--template")) {
            call.touch(file, Role.READ, Extent.PATH);
        }
        if (words.mayHave("-a", "--all", "-p", "--patch", "--interactive")) {
            call.doubt("takes in every changed file", READ);
        }
        if (words.mayHave("-v", "--verbose")) {
            call.doubt("may show any file", READ);
        }
    }

    /// `git switch`: a new branch where we are changes no file.
    private static void turn(Invocation call, GitWords words) {
        boolean stays =
                words.mayHave("-c", "-C", "--create", "--force-create")
                        && startsHere(words.all())
                        && !words.mayHave("--orphan", "-f", "--force", "--discard-changes", "-m");
        if (!stays) {
            call.doubt("may rewrite any file", REWRITE);
        }
    }

    private static boolean startsHere(List<Shape> words) {
        return words.stream().allMatch(word -> word.is("HEAD") || word.is("@"));
    }

    private static void checkout(Invocation call, GitWords words) throws ShellSyntaxException {
        boolean branch = words.mayHave("-b", "-B", "--orphan");
        boolean forced = words.mayHave("-f", "--force", "-m", "--merge");
        if (words.isSeparated()) {
            paths(call, words, words.after(), REWRITE);
            if (words.after().isEmpty()) {
                call.doubt("may rewrite any file", REWRITE);
            }
            return;
        }
        var paths = new ArrayList<>(words.before());
        paths(call, words, paths, REWRITE);
        if (branch && !forced && startsHere(paths)) {
            return;
        }
        // With a single word git would rather have a branch of that name.
        boolean named = paths.stream().anyMatch(word -> Pathspec.isCertain(word) || word.is("."));
        if (!named) {
            call.doubtUnless(
                    paths.size() > 1 && !branch ? paths.subList(1, paths.size()) : List.of(),
                    "may rewrite any file",
                    REWRITE);
        }
    }
}
