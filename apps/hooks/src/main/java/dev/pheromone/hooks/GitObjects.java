package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// Ways by which git hands on contents without a path in the work tree: objects by their hashes,
/// names that are given to them, and other repositories that take everything from here.
final class GitObjects {
    private static final Set<Access> READ = Set.of(Access.READ);

    /// A hash, perhaps cut short; with `^{commit}` or `~1` behind it, it can't be a file's.
    private static final Pattern HASH = Pattern.compile("\\p{XDigit}{4,}");

    /// Settings whose value is a file or another repository.
    private static final Pattern NAMES_A_PLACE =
            Pattern.compile("(?i)(?!safe\\.).*(?:url|template|templatedir|file|path)");

    private static final String TAG_VALUED =
            "-m --message -F --file -u --local-user --cleanup --sort --format --contains"
                    + " --no-contains --merged --no-merged --points-at -n --trailer";

    private GitObjects() {}

    /// Notes what a command of git does with objects, besides what it is for.
    static void note(Invocation call, String verb) throws ShellSyntaxException {
        if (call.arguments().stream().anyMatch(word -> word.toString().contains("%(raw"))) {
            call.doubt("may show any file", READ);
        }
        switch (verb) {
            case "tag" -> named(call, new GitWords(call, TAG_VALUED).all());
            case "update-ref" -> named(call, new GitWords(call, "-m").all());
            case "notes" -> {
                var words = new GitWords(call, "-m -F -C -c --message --file --ref");
                for (Shape message :
                        words.values("-C", "-c", "--reuse-message", "--reedit-message")) {
                    object(call, message);
                }
            }
            case "fsck" -> {
                if (call.hasShortened("--lost-found")) {
                    call.doubt("copies files that are found by their hashes", READ);
                }
            }
            case "hash-object", "update-index" -> {
                if (call.arguments().stream()
                        .anyMatch(word ->
                                word.startsWith("--stdin-")
                                        || (verb.equals("update-index")
                                                && word.startsWith("--std")))) {
                    call.doubt("reads the names of files", READ);
                }
            }
            case "fetch", "pull", "remote", "submodule", "subtree" -> {
                for (Shape word : call.arguments()) {
                    if (GitCommand.isFolder(word) && !word.is(".")) {
                        copied(call, word, READ);
                    }
                }
                List<Shape> words = new GitWords(call, "--depth -o --server-option").all();
                int first = verb.equals("remote") ? 2 : 0;
                if (words.size() > first && words.get(first).startsWithGap()) {
                    call.doubt("where it takes files from is known only when it runs", READ);
                }
            }
            default -> {
                // Nothing more.
            }
        }
    }

    /// Notes a word that may be an object, in either way.
    private static void object(Invocation call, Shape word) throws ShellSyntaxException {
        path(call, word);
        hash(call, word);
    }

    /// Notes `REVISION:PATH`, `:PATH` and `:0:PATH`.
    static void path(Invocation call, Shape word) throws ShellSyntaxException {
        for (int colon = word.indexOf(':', 0); colon >= 0; colon = word.indexOf(':', colon + 1)) {
            Pathspec.fromTop(call, word.from(colon + 1), READ);
        }
    }

    /// Notes a word that may be the hash of a file, where git shows that as it is.
    static void hash(Invocation call, Shape word) {
        if (word.isPlain() && HASH.matcher(word.toString()).matches()) {
            call.doubt(
                    "\"" + word + "\" may be a file's hash, \"" + word + "^{commit}\" is not",
                    READ);
        }
    }

    /// A name for an object, and the object.
    private static void named(Invocation call, List<Shape> words) throws ShellSyntaxException {
        boolean branch = !words.isEmpty() && words.getFirst().startsWith("refs/heads/");
        for (int i = 1; i < words.size() && !branch; i++) {
            object(call, words.get(i));
            if (words.get(i).startsWithGap()) {
                call.doubt("what gets a name is known only when it runs", READ);
            }
        }
    }

    /// Notes a repository of which everything is copied: a copy of it is a copy of what lies beside
    /// its `.git`.
    static void copied(Invocation call, Shape repository, Set<Access> access)
            throws ShellSyntaxException {
        for (Shape candidate : UnknownProgram.candidates(repository)) {
            call.guess(candidate, access, Extent.TREE);
            if (candidate.name().is(".git") || candidate.toString().endsWith(".git/")) {
                call.guess(candidate.plus("/.."), access, Extent.TREE);
            }
        }
    }

    /// Notes a setting that names a file or another repository.
    static void setting(Invocation call, Shape name, Shape value) throws ShellSyntaxException {
        if (NAMES_A_PLACE.matcher(name.toString()).matches() && !value.is(".")) {
            copied(call, value, READ);
        }
    }

    /// A new work tree: nothing is in it yet, but what it gets from here on, is what is here.
    static void workTree(Invocation call) {
        List<Shape> words = new GitWords(call, "-b -B --reason").all();
        if (words.size() > 1) {
            call.run().log().mirror(words.get(1), call.state().folders());
        }
    }
}
