package dev.pheromone.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InvisibleCharsTest {

    private static boolean hides(String text) {
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (InvisibleChars.isHidden(text, i)) {
                return true;
            }
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "grüße",
                "日本語",
                "👩\u200d👩\u200d👧",
                "🏃🏽\u200d♂\ufe0f",
                "❤\ufe0f\u200d🔥",
                "1\ufe0f\u20e3",
                "©\ufe0f",
                "می\u200cخواهم",
                "क्\u200dष",
                "٣\u0601"
            })
    void whatShapesItsNeighboursIsNotHidden(String text) {
        assertThat(hides(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0xAD, 0x34F, 0x61C, 0x115F, 0x180B, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x202E,
                0x2060, 0x2063, 0x2066, 0x206F, 0x2800, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0,
                0xFFF9, 0x1D173, 0xE0001, 0xE0041, 0xE0100
            })
    void amongLatinLettersWhatHasNoShapeIsHidden(int codePoint) {
        assertThat(hides("a" + Character.toString(codePoint) + "b")).isTrue();
        assertThat(hides(Character.toString(codePoint))).isTrue();
    }

    @Test
    void selectorsAndJoinersInARowAreHidden() {
        assertThat(hides("😀\ufe0f\ufe00\ufe05")).isTrue();
        assertThat(hides("👩\u200d\u200d👧")).isTrue();
        assertThat(hides("👩\u200d")).isTrue();
        assertThat(hides("日\u200d本 \u200c")).isTrue();
    }
}
