package dev.pheromone.tidy;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A Java file of a module. `code` is its text with comments and literals blanked out, so that a
/// rule finds what is executed and not what is talked about; lines stay where they are.
record JavaSource(TextFile file, String module, boolean test, String code) {
    private static final Pattern PACKAGE =
            Pattern.compile("^package\\s+([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern IMPORT =
            Pattern.compile("^import\\s+(?:static\\s+)?([\\w.]+(?:\\.\\*)?);", Pattern.MULTILINE);
    private static final Pattern TYPE =
            Pattern.compile("(?<![\\w.])(?:class|interface|enum|record)\\s+([A-Z]\\w*)");

    static JavaSource of(TextFile file, String module) {
        boolean test = file.path().startsWith(Path.of(module, "src", "test"));
        return new JavaSource(file, module, test, SpokenCode.of(file.text()));
    }

    /// The name of the file without its extension.
    String name() {
        return file.path().getFileName().toString().replace(".java", "");
    }

    String packageName() {
        return PACKAGE.matcher(code).results().map(found -> found.group(1)).findFirst().orElse("");
    }

    /// What the file imports: names of types, of static members, or of packages with `.*`.
    List<String> imports() {
        return IMPORT.matcher(code).results().map(found -> found.group(1)).toList();
    }

    /// The package of an imported name: what precedes the first capital.
    static String packageOf(String imported) {
        return imported.replaceFirst("\\.(?:[A-Z].*|\\*)$", "");
    }

    /// The types declared here, nested ones included.
    List<String> types() {
        return TYPE.matcher(code).results().map(found -> found.group(1)).toList();
    }

    /// A problem for each place in the code that the pattern matches.
    Stream<Problem> problemsAt(Pattern pattern, String message) {
        return pattern.matcher(code)
                .results()
                .map(found ->
                        file.problemAt(found.start(), message.formatted(found.group().strip())));
    }
}
