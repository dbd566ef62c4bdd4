package dev.pheromone.hooks.setup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnifiedDiffTest {
    @Test
    void equalTextsHaveNone() {
        assertThat(UnifiedDiff.of("a", "x\n", "x\n")).isEmpty();
    }

    @Test
    void changesAreShownWithTheLinesAroundThem() {
        String before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n";
        String after = before.replace("5\n", "five\n").replace("14\n", "");

        assertThat(UnifiedDiff.of("f.json", before, after))
                .isEqualTo(
                        """
                        --- f.json
                        +++ f.json
                        @@ -2,7 +2,7 @@
                         2
                         3
                         4
                        -5
                        +five
                         6
                         7
                         8
                        @@ -11,4 +11,3 @@
                         11
                         12
                         13
                        -14
                        """);
    }

    @Test
    void aNewFileComesFromNothing() {
        assertThat(UnifiedDiff.of("f", "", "a\nb"))
                .isEqualTo(
                        """
                        --- /dev/null
                        +++ f
                        @@ -0,0 +1,2 @@
                        +a
                        +b
                        \\ No newline at end of file
                        """);
    }
}
