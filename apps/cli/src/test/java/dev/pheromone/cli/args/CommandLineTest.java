package dev.pheromone.cli.args;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class CommandLineTest {

    private final CommandLine line =
            new CommandLine(List.of("send", "--to=cdoe", "--to", "cdoe", "look at cdoe"));

    @Test
    void aWordIsReplacedWhereItStandsAloneOrAsAValue() {
        assertThat(line.replacing("cdoe", "code"))
                .hasToString("rsm send --to=code --to code \"look at cdoe\"");
    }

    @Test
    void wordsAreChangedAndAdded() {
        assertThat(line.with(4, "x").plus("--id", "01J"))
                .hasToString("rsm send --to=cdoe --to cdoe x --id 01J");
        assertThat(new CommandLine(List.of())).hasToString("rsm");
    }
}
