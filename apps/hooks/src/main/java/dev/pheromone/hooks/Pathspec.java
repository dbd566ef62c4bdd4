package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.List;
import java.util.Set;

/// The words by which git is told paths. It reads them itself: `*` goes across folders, even in
/// quotes, and what stands between a colon and the path changes what is meant.
final class Pathspec {
    /// The top of the repository is one of so many folders above.
    private static final int FOLDERS_UP_MAX = 12;

    private Pathspec() {}

    /// Notes what all these words cover together.
    static void touch(Invocation call, List<Shape> words, Set<Access> access)
            throws ShellSyntaxException {
        boolean any = false;
        for (Shape word : words) {
            any |= touch(call, word, access);
        }
        if (!any && !words.isEmpty()) {
            // All but these.
            fromTop(call, Shape.EMPTY, access);
        }
    }

    /// Notes what one word covers; false if it is only an exception to the others.
    private static boolean touch(Invocation call, Shape word, Set<Access> access)
            throws ShellSyntaxException {
        Shape path = word;
        boolean top = false;
        boolean except = false;
        if (word.startsWith(":(")) {
            int close = word.indexOf(')', 0);
            String magic = word.part(2, Math.max(2, close)).toString();
            top = close < 0 || magic.contains("top");
            except = magic.contains("exclude");
            path = close < 0 ? Shape.EMPTY : word.from(close + 1);
        } else if (word.startsWith(":")) {
            int at = 1;
            while (at < word.length() && "/!^".indexOf(word.at(at)) >= 0) {
                top |= word.at(at) == '/';
                except |= word.at(at) != '/';
                at++;
            }
            top |= at == word.length();
            path = word.from(at < word.length() && word.at(at) == ':' ? at + 1 : at);
        }
        if (except) {
            return false;
        }
        Shape wild = wildcards(path);
        if (top) {
            fromTop(call, wild, access);
        } else {
            call.touch(wild.isEmpty() ? Shape.of(".") : wild, access, Extent.TREE);
        }
        return true;
    }

    /// A path counted from the top of the repository: one of the folders above us, or this one.
    static void fromTop(Invocation call, Shape path, Set<Access> access)
            throws ShellSyntaxException {
        Shape up = path.isEmpty() ? Shape.of(".") : path;
        call.touch(up, access, Extent.TREE);
        for (int i = 0; i < FOLDERS_UP_MAX; i++) {
            up = Shape.of("../").plus(up);
            if (path.isEmpty()) {
                call.touch(up, access, Extent.TREE);
            } else {
                call.guess(up, access, Extent.TREE);
            }
        }
    }

    /// The path with git's wildcards, each of which may match slashes and dots.
    private static Shape wildcards(Shape path) {
        Shape out = Shape.EMPTY;
        Shape any = Shape.of(new int[] {Shape.DEEP});
        for (int i = 0; i < path.length(); i++) {
            int atom = path.at(i);
            if (atom == Shape.NOT_DOT || atom == '\\') {
                continue;
            }
            boolean known = atom >= 0 || atom == Shape.ABOVE || Shape.isGap(atom);
            boolean wild = !known || atom == '*' || atom == '?';
            boolean set = atom == '[' && path.indexOf(']', i) > 0;
            if (!wild && !set) {
                out = out.plus(path.part(i, i + 1));
                continue;
            }
            i = set ? path.indexOf(']', i) : i;
            out = out.plus(any);
            // `**/x` is also x itself.
            boolean folders = atom == '*' && i + 2 < path.length() && path.at(i + 1) == '*';
            i += folders && path.at(i + 2) == '/' ? 2 : 0;
        }
        return out;
    }

    /// Whether git takes the word for a path without looking for a file of that name.
    static boolean isCertain(Shape word) {
        boolean wild =
                !word.isPlain() || word.contains('*') || word.contains('?') || word.contains('[');
        return word.startsWith(":(")
                || word.startsWith(":!")
                || word.startsWith(":^")
                || (wild && !word.toString().contains("^{") && !word.toString().contains("@{"));
    }
}
