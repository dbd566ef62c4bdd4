package dev.pheromone.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedactionTest {

    private static String diff(String text) {
        return new Redactor(Rules.builtIn(), PrivateWords.NONE).redact(text).diff();
    }

    @Test
    void aDiffShowsTheLineBeforeAndAfter() {
        assertThat(diff("one\ntwo a@b.io\nthree\n"))
                .isEqualTo(
                        """
                        @@ -1,3 +1,3 @@
                         one
                        -two a@b.io
                        +two [REDACTED:email]
                         three
                        """);
    }

    @Test
    void changesFarApartHaveHunksOfTheirOwn() {
        assertThat(diff("a@b.io\n" + "x\n".repeat(7) + "c@d.io\n"))
                .isEqualTo(
                        """
                        @@ -1,4 +1,4 @@
                        -a@b.io
                        +[REDACTED:email]
                         x
                         x
                         x
                        @@ -6,4 +6,4 @@
                         x
                         x
                         x
                        -c@d.io
                        +[REDACTED:email]
                        """);
    }

    @Test
    void changesNearEachOtherShareAHunk() {
        assertThat(diff("a@b.io\n" + "x\n".repeat(6) + "c@d.io"))
                .startsWith("@@ -1,8 +1,8 @@\n-a@b.io\n+[REDACTED:email]\n x\n")
                .endsWith(" x\n-c@d.io\n+[REDACTED:email]\n");
    }

    @Test
    void aBlockOfManyLinesBecomesOne() {
        assertThat(
                        diff(
                                "key:\n-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----"
                                        + " end\n1\n2\n3\n4\n5\n6\n7\na@b.io\n"))
                .isEqualTo(
                        """
                        @@ -1,7 +1,5 @@
                         key:
                        ------BEGIN PRIVATE KEY-----
                        -abc
                        ------END PRIVATE KEY----- end
                        +[REDACTED:private-key] end
                         1
                         2
                         3
                        @@ -9,4 +7,4 @@
                         5
                         6
                         7
                        -a@b.io
                        +[REDACTED:email]
                        """);
    }

    @Test
    void severalMarksInOneLineAreOneChange() {
        assertThat(diff("a@b.io and c@d.io"))
                .isEqualTo(
                        """
                        @@ -1,1 +1,1 @@
                        -a@b.io and c@d.io
                        +[REDACTED:email] and [REDACTED:email]
                        """);
    }
}
