package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The commands of git that show contents, or copy them: all of history, unless paths narrow it.
final class GitShow {
    private static final Set<Access> READ = Set.of(Access.READ);

    /// They name commits; only with some options they show what is in them.
    private static final Set<String> LISTING = Set.of("log", "whatchanged", "reflog", "stash list");

    /// They show differences, or with some options only how many.
    private static final Set<String> COMPARING =
            Set.of("diff", "show", "diff-tree", "diff-index", "diff-files", "stash show");

    private static final Set<String> OTHERS =
            Set.of(
                    "grep",
                    "format-patch",
                    "archive",
                    "cat-file",
                    "range-diff",
                    "blame",
                    "annotate",
                    "bundle",
                    "fast-export");

    /// Of these, no word says which files are meant.
    private static final Set<String> WHOLE =
            Set.of("bundle", "fast-export", "range-diff", "stash show");

    /// What is asked of a bundle.
    private static final Set<String> TELLING = Set.of("verify", "list-heads");

    private static final String[] SUMMARIES = {
        "--stat",
        "--shortstat",
        "--numstat",
        "--name-only",
        "--name-status",
        "--no-patch",
        "--quiet",
        "-s",
        "--summary",
        "--dirstat"
    };

    private static final String[] PATCHES = {
        "-p",
        "-u",
        "-U",
        "-c",
        "-L",
        "--patch",
        "--unified",
        "--patch-with-stat",
        "--patch-with-raw",
        "--binary",
        "--cc",
        "--dd",
        "--remerge-diff",
        "--diff-merges",
        "--ext-diff",
        "--check"
    };

    /// Options with a value, those of `log` and `diff`.
    private static final String VALUED =
            "-S -G -O -I -l -n -L --author --committer --grep --grep-reflog --since --until --after"
                + " --before --max-count --skip --src-prefix --dst-prefix --line-prefix --output"
                + " --inter-hunk-context --ignore-matching-lines --word-diff-regex --anchored"
                + " --diff-filter --find-object --skip-to --rotate-to --date --encoding"
                + " --decorate-refs --decorate-refs-exclude --exclude";

    private static final String BLAME_VALUED =
            "-L -S --contents --ignore-rev --ignore-revs-file --date";

    /// Options whose value is a text to look for.
    private static final Set<String> SEEKING =
            Set.of("-S", "-G", "-I", "-e", "--grep", "--author", "--committer");

    private static final String GREP_VALUED =
            "-e -f -A -B -C -m --max-count --max-depth --threads --context --after-context"
                    + " --before-context";

    private static final String COPY_VALUED =
            "-o --output --output-directory --format --prefix --add-file --remote --exec"
                    + " --signature-file --subject-prefix --to --cc --suffix --in-reply-to"
                    + " --start-number --reroll-count --base";

    private GitShow() {}

    static boolean isOne(String verb) {
        return LISTING.contains(verb) || COMPARING.contains(verb) || OTHERS.contains(verb);
    }

    /// Follows `git verb`.
    static void follow(Invocation call, String verb) throws ShellSyntaxException {
        var words = new GitWords(call, valued(verb));
        for (Shape file : words.values("-o", "--output", "--output-directory")) {
            call.touch(file, Role.WRITE, Extent.TREE);
        }
        for (Shape file :
                words.values("-f", "--contents", "--ignore-revs-file", "--signature-file")) {
            call.touch(file, Role.READ, Extent.PATH);
        }
        for (Shape file : words.values("--add-file")) {
            call.touch(file, Role.READ, Extent.PATH);
        }
        for (Shape value : words.valuesExcept(SEEKING)) {
            // Perhaps a path after all: some versions want no value there.
            call.guess(value, READ, Extent.TREE);
        }
        if (words.mayHave("--no-index") || (verb.equals("grep") && isPaged(words))) {
            call.doubt("has options that are not followed");
        }
        List<Shape> revisions = new ArrayList<>(words.before());
        if (verb.equals("grep") && !revisions.isEmpty() && !words.has("-e", "-f")) {
            revisions.removeFirst();
        }
        boolean contents = showsContents(words, verb) && !onlyTells(call, verb);
        if (contents || verb.equals("show")) {
            // They are files, whatever else is asked for, and whichever paths.
            boolean alone = verb.equals("diff") && revisions.size() == 1;
            for (Shape word : revisions) {
                GitObjects.path(call, word);
                if (alone || verb.equals("show")) {
                    GitObjects.hash(call, word);
                }
            }
        }
        if (contents) {
            switch (verb) {
                case "blame", "annotate" -> Pathspec.touch(call, words.all(), READ);
                case "archive" -> archive(call, words);
                default -> shows(call, words, revisions, verb);
            }
        }
    }

    private static String valued(String verb) {
        return switch (verb) {
            case "grep" -> GREP_VALUED;
            case "blame", "annotate" -> BLAME_VALUED;
            case "archive", "format-patch", "bundle", "fast-export" -> COPY_VALUED;
            default -> VALUED;
        };
    }

    private static boolean isPaged(GitWords words) {
        return words.mayHave("-O", "--open-files-in-pager");
    }

    private static boolean showsContents(GitWords words, String verb) {
        if (LISTING.contains(verb)) {
            return words.mayHave(PATCHES);
        }
        boolean summary =
                COMPARING.contains(verb) && words.has(SUMMARIES) && !words.mayHave(PATCHES);
        return !summary;
    }

    /// `cat-file -t` and its like, `bundle verify`: what an object or a bundle is, not what is in
    /// it.
    private static boolean onlyTells(Invocation call, String verb) throws ShellSyntaxException {
        if (verb.equals("bundle")
                && call.arguments().size() == 2
                && TELLING.contains(call.arguments().getFirst().toString())) {
            call.touch(call.arguments().getLast(), Role.READ, Extent.PATH);
            return true;
        }
        List<Shape> options =
                call.arguments().stream().filter(word -> word.startsWith("-")).toList();
        return verb.equals("cat-file")
                && options.size() == 1
                && Set.of("-t", "-s", "-e").contains(options.getFirst().toString());
    }

    /// Whether the word is `REVISION:PATH`; a colon in braces is part of a date, or of a text.
    private static boolean namesFile(Shape word) {
        int depth = 0;
        boolean unknown = false;
        for (int i = 0; i < word.length(); i++) {
            int atom = word.at(i);
            unknown |= atom < 0;
            depth += atom == '{' ? 1 : atom == '}' && depth > 0 ? -1 : 0;
            if (atom == ':' && depth == 0) {
                // What is not known may open braces that are closed behind the colon.
                return !unknown || word.indexOf('}', i) < 0;
            }
        }
        return false;
    }

    /// The first word is what to copy, and the others are paths in it.
    private static void archive(Invocation call, GitWords words) throws ShellSyntaxException {
        List<Shape> all = words.all();
        if (all.size() > 1) {
            Pathspec.touch(call, all.subList(1, all.size()), READ);
        } else if (all.isEmpty() || !namesFile(all.getFirst())) {
            call.doubt("may show any file", READ);
        }
    }

    private static void shows(Invocation call, GitWords words, List<Shape> revisions, String verb)
            throws ShellSyntaxException {
        boolean narrowed = words.isSeparated() && !words.after().isEmpty();
        boolean objects = !revisions.isEmpty();
        var files = new ArrayList<Shape>();
        var specs = new ArrayList<Shape>(words.after());
        for (Shape word : revisions) {
            boolean colon = namesFile(word);
            objects &= colon && !word.startsWith(":/");
            if (words.isSeparated()) {
                continue;
            }
            if (Pathspec.isCertain(word)) {
                specs.add(word);
                narrowed |= !words.isPerhapsValue(word);
            } else if (!colon) {
                call.touch(word, READ, Extent.TREE);
                if (word.isPlain() && !words.isPerhapsValue(word)) {
                    files.add(word);
                }
            }
        }
        Pathspec.touch(call, specs, READ);
        boolean whole = WHOLE.contains(verb) || words.mayHave("--full-diff");
        if (whole || (!narrowed && !objects)) {
            call.doubtUnless(
                    whole || verb.equals("cat-file") ? List.of() : files,
                    "may show any file",
                    READ);
        }
    }
}
