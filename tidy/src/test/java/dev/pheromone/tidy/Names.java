package dev.pheromone.tidy;

import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A type is named by what it is, never by a word that fits everything.
final class Names implements Rule {
    private static final Pattern EMPTY_WORD =
            Pattern.compile(
                    "\\w*(?:Impl|Manager|Helpers?|Utils?|Utilities|Service|DTO|Dto)|(?:Abstract|Default)[A-Z]\\w*");
    private static final Pattern EMPTY_PACKAGE =
            Pattern.compile("(?:.*\\.)?(?:common|commons|utils?|misc|helpers?|impl)(?:\\..*)?");

    @Override
    public Stream<Problem> problems(Repository repository) {
        return repository
                .sources()
                .flatMap(source -> Stream.concat(types(source), packageOf(source)));
    }

    private static Stream<Problem> types(JavaSource source) {
        return source.types().stream()
                .filter(name -> EMPTY_WORD.matcher(name).matches())
                .map(name -> source.file().problem("type " + name + " needs a name of its own"));
    }

    private static Stream<Problem> packageOf(JavaSource source) {
        return Stream.of(source.packageName())
                .filter(name -> EMPTY_PACKAGE.matcher(name).matches())
                .map(name -> source.file().problem("package " + name + " needs a name of its own"));
    }
}
