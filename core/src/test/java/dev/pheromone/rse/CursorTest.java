package dev.pheromone.rse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorTest {

    @Test
    void survivesAsText() {
        Cursor cursor = Cursor.at(12, new byte[] {1}, new byte[] {2});
        assertThat(Cursor.parse(cursor.toString())).isEqualTo(cursor);
        assertThat(Cursor.parse("0")).isEqualTo(Cursor.START);
        assertThat(Cursor.at(0, new byte[0], new byte[0])).isEqualTo(Cursor.START);
    }

    @Test
    void differsWithEveryByteAroundIt() {
        Cursor cursor = Cursor.at(12, new byte[] {1}, new byte[] {2});
        assertThat(Cursor.at(12, new byte[] {3}, new byte[] {2})).isNotEqualTo(cursor);
        assertThat(Cursor.at(12, new byte[] {1}, new byte[] {3})).isNotEqualTo(cursor);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "-1",
                "5",
                "5-",
                "5-xyz",
                "0-0123456789abcdef",
                "-5-0123456789abcdef",
                "99999999999999999999"
            })
    void nothingElseIsACursor(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cursor.parse(text))
                .withMessageStartingWith("cursor: found \"");
    }
}
