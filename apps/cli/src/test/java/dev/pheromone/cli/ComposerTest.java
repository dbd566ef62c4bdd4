package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComposerTest {

    @ParameterizedTest
    @CsvSource({
        "please look, please look",
        "'\n\n# The parser\nis slow', The parser",
        "'> quoted', quoted",
        "'- first\n- second', first",
        "'bell\u0007 and \u202eback', bell and back",
        "'  two  words  ', two  words"
    })
    void theTopicIsTheFirstLineThatSaysSomething(String body, String topic) {
        assertThat(Composer.firstLine(body.replace("\\n", "\n"))).isEqualTo(topic);
    }

    @Test
    void aLongLineIsCut() {
        assertThat(Composer.firstLine("é".repeat(300))).hasSize(100);
    }

    @Test
    void aBodyThatSaysNothingNeedsATopic() {
        assertThatThrownBy(() -> Composer.firstLine("\n \n---\n"))
                .hasMessage("the body has no line to take the topic from");
    }
}
