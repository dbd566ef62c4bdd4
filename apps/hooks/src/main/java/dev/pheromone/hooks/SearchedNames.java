package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The names to which a search through folders is limited: `rg -g '*.java'`, `grep -r
/// --include=*.java`. Hidden ones count as well, if a pattern names them.
final class SearchedNames {
    private static final Set<String> PROGRAMS =
            Set.of("rg", "grep", "egrep", "fgrep", "zgrep", "ggrep");

    private static final Pattern GLUED = Pattern.compile("(?s)(?:--i?glob=|--include=|-g)(.+)");

    private SearchedNames() {}

    /// The patterns, of which one has to match; none if any file may be searched.
    static List<Shape> of(Invocation call) {
        if (!PROGRAMS.contains(call.program())) {
            return List.of();
        }
        var patterns = new ArrayList<Shape>();
        boolean rg = call.program().equals("rg");
        List<Shape> arguments = call.arguments();
        for (int i = 0; i < arguments.size() && !arguments.get(i).is("--"); i++) {
            String word = arguments.get(i).toString();
            Matcher glued = GLUED.matcher(word);
            boolean next =
                    rg
                            ? Set.of("-g", "--glob", "--iglob").contains(word)
                            : word.equals("--include");
            Shape pattern = next && i + 1 < arguments.size() ? arguments.get(i + 1) : Shape.EMPTY;
            if (glued.matches() && (rg || word.startsWith("--include"))) {
                pattern = arguments.get(i).from(glued.start(1));
            }
            if (pattern.hasGap()) {
                return List.of();
            }
            if (pattern.isEmpty() || pattern.startsWith("!")) {
                continue;
            }
            for (String one : PathShapes.withoutBraces(pattern.toString())) {
                patterns.add(Shape.of(one.replaceFirst("^/", "")).withWildcards().withHidden());
            }
        }
        return patterns;
    }
}
