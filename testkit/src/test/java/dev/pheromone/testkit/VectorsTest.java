package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;

class VectorsTest {

    @Test
    void aCaseIsKeysAndRawBytes() {
        Vector vector = parse("expect: success\ncomment: two: colons\nempty:\n\n\nbody\n");

        assertThat(vector.expect()).isEqualTo("success");
        assertThat(vector.get("comment")).isEqualTo("two: colons");
        assertThat(vector.get("empty")).isEmpty();
        assertThat(vector.content()).isEqualTo("\nbody\n".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aCaseMayHaveNoBytes() {
        assertThat(parse("expect: success\n\n").content()).isEmpty();
    }

    @Test
    void escapesStandForCharacters() {
        assertThat(parse("topic: \\u0020a\\u005c\\ud83d\\udc1d\n\n").get("topic"))
                .isEqualTo(" a\\\ud83d\udc1d");
    }

    @Test
    void badHeadsAreRefused() {
        for (String head :
                List.of("expect\n\n", "expect:success\n\n", "a: 1\na: 2\n\n", "a: 1\n")) {
            assertThatIllegalArgumentException().isThrownBy(() -> parse(head));
        }
    }

    @Test
    void everyCaseSaysWhatItExpectsAndShows() {
        for (String family : Vectors.families()) {
            for (Vector vector : Vectors.family(family)) {
                assertThat(vector.keys().keySet().stream().limit(2))
                        .containsExactly("expect", "comment");
                assertThat(vector.get("comment")).isNotBlank();
                assertThat(vector.name()).matches("[a-z0-9_]+");
            }
        }
    }

    @Test
    void everyFamilyIsDescribed() throws IOException {
        String description = Files.readString(Vectors.folder().resolve("README.md"));
        for (String family : Vectors.families()) {
            assertThat(description).containsPattern("(?m)^## .*\\b" + family + "\\b");
        }
    }

    private static Vector parse(String file) {
        return Vector.parse("family", "name", file.getBytes(StandardCharsets.US_ASCII));
    }
}
