package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Text that a person does not see is not handed to an agent as if there were none.
final class InvisibleTextTest {

    /// Letters of the tag block: "obey" for a model, nothing for a person.
    private static final String TAGS =
            "\udb40\udc6f\udb40\udc62\udb40\udc65\udb40\udc79\u200b\u2060\ufe01\ufe02";

    /// All that is sent and must not be seen. Not what the product takes for invisible: then a
    /// character that it forgot would be forgotten here, too.
    private static final String HIDDEN = "\u202e" + TAGS;

    @TempDir private Path folder;
    private Session session;
    private String id;

    @BeforeEach
    void sendSomethingHidden() throws IOException {
        session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        Session.Result sent =
                session.rsm(
                        List.of("send", "--to", "code", "--topic", "look" + TAGS, "--json", "-"),
                        "look\u202e here" + TAGS + "\n");
        assertThat(sent.exit()).as(sent.out()).isZero();
        id = AnswerSchemas.field(sent.out(), "id");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "read ID --json",
                "inbox code --json",
                "select code --json",
                "select code --dry-run --json",
                "search look --json",
                "trace ID --json",
                "log --json",
                "watch code --once --after 0 --json",
                "read ID",
                "inbox code",
                "select code",
                "search look",
                "trace ID",
                "log"
            })
    void isEscapedInEveryAnswer(String line) {
        Session.Result result = session.rsm(TypedWords.split(line.replace("ID", id)), "");
        assertThat(result.exit()).as(result.err()).isZero();
        assertThat(result.out()).contains("look");
        HIDDEN.codePoints()
                .forEach(c ->
                        assertThat(result.out())
                                .as("U+%04X", c)
                                .doesNotContain(Character.toString(c)));
    }

    @Test
    void isTheSameValueForAProgram() throws Exception {
        Json answer = Json.parse(session.rsm("read", id, "--json").out().strip());
        assertThat(((Json.Obj) answer).text("body")).isEqualTo("look\u202e here" + TAGS + "\n");
    }
}
