package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.EverywhereOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What holds for the declaration of every verb.
class VerbsTest {

    static List<Spec> specs() {
        return Verbs.specs(Verbs.NAMES);
    }

    @Test
    void theOverviewShowsVerbsThatExist() {
        assertThat(Verbs.NAMES).containsAll(Verbs.FIRST).doesNotHaveDuplicates();
    }

    @Test
    void eachIsListedUnderTheNameThatItsDeclarationSays() {
        for (String name : Verbs.NAMES) {
            assertThat(Verbs.specs(List.of(name)).getFirst().name()).isEqualTo(name);
        }
    }

    @ParameterizedTest
    @MethodSource("specs")
    void everyExampleIsACommandLineThatParses(Spec spec) {
        assertThat(spec.examples()).isNotEmpty();
        for (Spec.Example example : spec.examples()) {
            assertThat(example.command()).contains("rsm " + spec.name());
            CommandLine line = rsmPart(example.command());
            int index = EverywhereOptions.parser().commandIndex(line);
            EverywhereOptions.parser().parse(line, index, spec);
        }
    }

    @ParameterizedTest
    @MethodSource("specs")
    void noOptionIsDeclaredTwiceOrHidesOneOfEveryCommand(Spec spec) {
        Set<String> names = new HashSet<>();
        for (Opt opt : EverywhereOptions.ALL) {
            // To the log, an actor is whom to look for.
            if (!spec.name().equals("log") || !opt.name().equals("actor")) {
                names.add(opt.name());
            }
        }
        for (Opt opt : spec.opts()) {
            assertThat(names.add(opt.name())).as("--%s of %s", opt.name(), spec.name()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("specs")
    void wordsAreLowerCaseWithoutAFullStop(Spec spec) {
        assertThat(spec.summary()).matches("[a-z].*[^.]");
        for (Opt opt : spec.opts()) {
            assertThat(opt.help()).as("--%s", opt.name()).matches("[^A-Z].*[^.]|[A-Z]{2}.*[^.]");
        }
    }

    @ParameterizedTest
    @MethodSource("specs")
    void aDefaultIsSaidOnce(Spec spec) {
        for (Opt opt : spec.opts()) {
            if (opt.fallback() != null) {
                assertThat(opt.help()).as("--%s", opt.name()).doesNotContain("; else");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("specs")
    void aListOfOperandsHasTheRequiredOnesFirst(Spec spec) {
        boolean optionalSeen = false;
        for (int i = 0; i < spec.operands().size(); i++) {
            assertThat(optionalSeen && spec.operands().get(i).required()).isFalse();
            optionalSeen |= !spec.operands().get(i).required();
            assertThat(spec.operands().get(i).repeatable() && i < spec.operands().size() - 1)
                    .isFalse();
        }
    }

    /// The words after `rsm` in an example that may be part of a pipeline.
    private static CommandLine rsmPart(String example) {
        String line = example.replaceFirst("^.*?\\brsm ", "").replaceFirst("( [|<>] .*|\\))$", "");
        return new CommandLine(TypedWords.split(line));
    }
}
