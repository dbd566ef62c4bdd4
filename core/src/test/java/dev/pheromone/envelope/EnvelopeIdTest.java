package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.pheromone.address.Domain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeIdTest {

    private static final EnvelopeId OLD = EnvelopeId.parse("01JBRM7XCN6E9M6KQGM6K3J3E5");
    private static final Domain CODE = new Domain("code");

    @Test
    void retryHasTheSameIdEachTime() {
        assertThat(EnvelopeId.ofRetry(OLD, CODE)).isEqualTo(EnvelopeId.ofRetry(OLD, CODE));
    }

    /// Known by heart: another value would send what an earlier version has sent already once more.
    @Test
    void retryHasTheIdThatEarlierVersionsGaveIt() {
        assertThat(EnvelopeId.ofRetry(OLD, CODE).text()).isEqualTo("0RD7QTHN7TGCY2MBQRR7DBZN3M");
        assertThat(EnvelopeId.ofReply(OLD, CODE).text()).isEqualTo("791F9HHBY9AXNJ7ND70QQWRNJ0");
    }

    @Test
    void retryIsNeitherTheOldOneNorItsReplyNorThatOfAnotherInbox() {
        assertThat(EnvelopeId.ofRetry(OLD, CODE))
                .isNotEqualTo(OLD)
                .isNotEqualTo(EnvelopeId.ofReply(OLD, CODE))
                .isNotEqualTo(EnvelopeId.ofRetry(OLD, new Domain("docs")))
                .isNotEqualTo(EnvelopeId.ofRetry(EnvelopeId.ofRetry(OLD, CODE), CODE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "81JBRM7XCN6E9M6KQGM6K3J3E5",
                "01JBRM7XCN6E9M6KQGM6K3J3EI",
                "01JBRM7XCN6E9M6KQGM6K3J3Eé",
                "01JBRM7XCN6E9M6KQGM6K3J3E\ufb05",
                "01jbrm7xcn6e9m6kqgm6k3j3e5",
                "7D444840-9DC0-11D1-B245-5FFDCE74FAD2",
                "7d444840x9dc0-11d1-b245-5ffdce74fad2"
            })
    void nothingButUlidsAndUuidsIsAnId(String text) {
        assertThat(EnvelopeId.isId(text)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> EnvelopeId.parse(text));
    }
}
