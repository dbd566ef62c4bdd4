package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.pheromone.cli.args.ArgsParser;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.frame.EverywhereOptions;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Documents name only commands that exist.
class CommandsInDocumentsTest {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
    private static final Pattern IN_PROSE = Pattern.compile("`(?:\\./)?rsm ([a-z][a-z-]*)[ `]");
    private static final Pattern OPTION = Pattern.compile("(?<= )--[a-z-]+");

    static List<String> documents() throws IOException {
        return Documents.names();
    }

    private static Stream<String> shellLines(String document, String program) {
        return BLOCK.matcher(Documents.read(document))
                .results()
                .flatMap(block -> block.group(1).lines())
                .map(line -> line.replaceFirst(" +#.*", ""))
                .filter(line -> line.startsWith(program));
    }

    @ParameterizedTest
    @MethodSource("documents")
    void linesToTypeAreUnderstood(String document) {
        Stream.concat(shellLines(document, "./rsm"), shellLines(document, "rsm"))
                .forEach(line ->
                        assertThatCode(() -> parse(line)).as(line).doesNotThrowAnyException());
    }

    private static void parse(String line) {
        List<String> words = TypedWords.split(line.replaceFirst(" > .*", ""));
        CommandLine typed = new CommandLine(words.subList(1, words.size()));
        ArgsParser parser = EverywhereOptions.parser();
        int index = parser.commandIndex(typed);
        if (index < 0) {
            parser.parseWithoutCommand(typed);
        } else {
            String verb = typed.words().get(index);
            parser.parse(typed, index, Objects.requireNonNull(Verbs.named(verb), verb).spec());
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void verbsInProseExist(String document) {
        assertThat(IN_PROSE.matcher(Documents.read(document)).results().map(verb -> verb.group(1)))
                .isSubsetOf(Verbs.NAMES);
    }

    @ParameterizedTest
    @MethodSource("documents")
    void optionsOfTestExist(String document) {
        assertThat(
                        shellLines(document, "./test")
                                .flatMap(line -> OPTION.matcher(line).results())
                                .map(option -> option.group()))
                .allMatch(Documents.read("test")::contains);
    }
}
