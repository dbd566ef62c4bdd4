package dev.pheromone.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SafeTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"", "plain", "grüße", "日本語", "👩‍👩‍👧", "می‌خواهم", "C:\\temp", "“quoted”"})
    void whatIsTextStaysAsItIs(String text) {
        assertThat(SafeText.line(text)).isEqualTo(text);
        assertThat(SafeText.block(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "000a, \\n",
        "000d, \\r",
        "0009, \\t",
        "001b, \\e",
        "0000, \\x00",
        "0007, \\x07",
        "007f, \\x7f",
        "009b, \\x9b",
        "202e, \\u202e",
        "2066, \\u2066",
        "200f, \\u200f",
        "200b, \\u200b",
        "feff, \\ufeff",
        "2028, \\u2028",
        "d800, \\ud800",
        "e0041, \\u{e0041}",
        "e0100, \\u{e0100}"
    })
    void whatCouldDeceiveIsEscaped(String codePoint, String shown) {
        String text = "a" + new String(Character.toChars(Integer.parseInt(codePoint, 16))) + "b";
        assertThat(SafeText.line(text)).isEqualTo("a" + shown + "b");
    }

    @Test
    void aBlockKeepsLinesAndTabs() {
        assertThat(SafeText.block("one\r\n\ttwo\rthree\u001b[1m\n"))
                .isEqualTo("one\n\ttwo\\rthree\\e[1m\n");
    }
}
