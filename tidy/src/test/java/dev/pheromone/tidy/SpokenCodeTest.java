package dev.pheromone.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpokenCodeTest {
    @Test
    void blanksCommentsAndLiteralsAndKeepsTheRestInPlace() {
        String text =
                """
                int a = 1; // System.exit
                /* one
                two */ int b = '"' + "a \\" // b".length();
                String c = \"""
                  "text" \\\""" Files
                  \"""; int d;
                """;

        assertThat(SpokenCode.of(text).lines().map(String::stripTrailing))
                .containsExactly(
                        "int a = 1;",
                        "",
                        "       int b =     +            .length();",
                        "String c =",
                        "",
                        "     ; int d;");
    }

    @Test
    void endsWithWhatIsNeverClosed() {
        assertThat(SpokenCode.of("a /* b").strip()).isEqualTo("a");
        assertThat(SpokenCode.of("a \"b\\").strip()).isEqualTo("a");
        assertThat(SpokenCode.of("a // b").strip()).isEqualTo("a");
    }
}
