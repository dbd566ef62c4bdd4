package dev.pheromone.session.hive;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;

import java.util.ArrayList;
import java.util.List;

/// A pattern as a person or an agent writes it, brought into the form that lists have: relative to
/// the hive root, with no empty names in it.
public final class TypedPattern {

    private TypedPattern() {}

    /// The form of `typed`, which may also be a whole path below the hive root.
    public static String of(String typed, HiveLayout layout) {
        if (!typed.startsWith("/")) {
            return oneForm(typed);
        }
        String root = layout.root().toString();
        if (typed.equals(root)) {
            return "**";
        }
        if (!typed.startsWith(root + "/")) {
            throw new ProblemException(
                            Code.USAGE,
                            "PATTERN: found \"" + typed + "\", expected a path below " + root)
                    .hint("a hive's rules are for its own files");
        }
        return oneForm(typed.substring(root.length() + 1));
    }

    /// The one way to write what `./a`, `a/` and `a//.` all mean: `a`.
    public static String oneForm(String pattern) {
        List<String> names = new ArrayList<>();
        for (String name : pattern.split("/", -1)) {
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        // What would mean nothing then is for the reader of patterns to refuse.
        return names.isEmpty() ? pattern : String.join("/", names);
    }
}
