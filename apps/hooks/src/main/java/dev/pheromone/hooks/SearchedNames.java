package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The names to which a search through folders is limited: `rg -g '*.java'`, `rg -t java`, `grep -r
/// --include=*.java`. Hidden ones count as well, if a pattern names them.
final class SearchedNames {
    private static final Set<String> GREPS = Set.of("grep", "egrep", "fgrep", "zgrep", "ggrep");

    /// What `rg` takes for a file of each type; of other types nothing is known here.
    private static final String TYPES =
            """
            c | *.[chH] *.[chH].in *.cats
            cpp | *.[ChH]* *.[ch]pp* *.[ch]xx* *.cc* *.hh* *.inl
            cs csharp | *.cs
            css | *.css *.scss
            dart | *.dart
            elixir | *.ex *.eex *.exs *.heex *.leex *.livemd
            go | *.go
            html | *.htm *.html *.ejs
            java | *.java *.jsp *.jspx *.properties
            js | *.js *.jsx *.vue *.cjs *.mjs
            json | *.json composer.lock *.sarif
            kotlin | *.kt *.kts
            lua | *.lua
            md markdown | *.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn
            php | *.php* *.pht *.phtml
            py python | *.py *.pyi
            ruby | config.ru Gemfile .irbrc Rakefile *.gemspec *.rb *.rbw
            rust | *.rs
            scala | *.scala *.sbt
            sql | *.sql *.psql
            swift | *.swift
            toml | *.toml Cargo.lock
            ts typescript | *.ts *.tsx *.cts *.mts
            txt | *.txt
            vue | *.vue
            xml | *.xml* *.dtd *.xsl* *.xjb *.rng *.sch *.xhtml
            yaml | *.yaml *.yml
            """;

    /// `name:*.ending`; a type may also take in others, which is not followed.
    private static final Pattern NEW_TYPE = Pattern.compile("(\\w+):(?!include:)(.+)");

    private final String program;
    private final Set<String> globs = new LinkedHashSet<>();
    private final Set<String> types = new LinkedHashSet<>();
    private final Set<String> left = new LinkedHashSet<>();
    private final Map<String, List<String>> added = new HashMap<>();
    private boolean unknown;

    SearchedNames(String program) {
        this.program = program;
    }

    /// Notes an option with its value.
    void note(String option, Shape value) {
        boolean rg = program.equals("rg");
        noteLeftOut(option, value.toString());
        boolean glob =
                rg
                        ? Set.of("-g", "--glob", "--iglob").contains(option)
                        : option.equals("--include") && GREPS.contains(program);
        boolean type = rg && (option.equals("-t") || option.equals("--type"));
        unknown |= (glob || type) && value.hasGap();
        if (glob && !value.isEmpty() && !value.startsWith("!")) {
            globs.addAll(PathShapes.withoutBraces(value.toString()));
        } else if (type) {
            types.add(value.toString());
        } else if (rg && option.startsWith("--type-a")) {
            Matcher made = NEW_TYPE.matcher(value.toString());
            unknown |= !value.isPlain() || !made.matches();
            if (made.matches()) {
                added.computeIfAbsent(made.group(1), name -> new ArrayList<>())
                        .addAll(PathShapes.withoutBraces(made.group(2)));
            }
        }
    }

    /// `--exclude-dir=name`, `-g '!name'` and their like. Patterns are not followed: what does not
    /// fit after all would be entered.
    private void noteLeftOut(String option, String value) {
        boolean named =
                switch (program) {
                    case "rg" -> Set.of("-g", "--glob").contains(option) && value.startsWith("!");
                    case "fd", "fdfind" -> Set.of("-E", "--exclude").contains(option);
                    case "tree" -> option.equals("-I");
                    case "du" -> option.equals("--exclude");
                    default -> option.equals("--exclude-dir") && GREPS.contains(program);
                };
        String name = program.equals("rg") ? value.replaceFirst("^!", "") : value;
        if (named && LeftOut.isName(name)) {
            left.add(name);
        }
    }

    /// The folders that are not entered.
    LeftOut leftOut() {
        // A pattern with a wish may bring back what another one has left out.
        return unknown || (program.equals("rg") && !globs.isEmpty())
                ? LeftOut.NOTHING
                : new LeftOut(left, Set.of());
    }

    /// The patterns, of which one has to match; none if any file may be searched.
    List<Shape> patterns() {
        var names = new LinkedHashSet<>(globs);
        for (String type : types) {
            List<String> known = ofType(type);
            if (known.isEmpty()) {
                return List.of();
            }
            names.addAll(known);
        }
        return unknown
                ? List.of()
                : names.stream()
                        .map(name ->
                                Shape.of(name.replaceFirst("^/", "")).withWildcards().withHidden())
                        .toList();
    }

    private List<String> ofType(String type) {
        var names = new ArrayList<>(added.getOrDefault(type, List.of()));
        for (String row : (Iterable<String>) TYPES.lines()::iterator) {
            String[] columns = row.split("\\|", -1);
            if (List.of(columns[0].strip().split(" ", -1)).contains(type)) {
                names.addAll(List.of(columns[1].strip().split(" ", -1)));
            }
        }
        return names;
    }
}
