package dev.pheromone.rse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Lane;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/// Each oddity that real logs have shown.
class RseLineReaderTest {

    private static final Instant PREVIOUS = Instant.parse("2025-01-01T00:00:00Z");
    private static final String DROP =
            "{\"ts\":\"2025-10-15T17:10:00Z\",\"type\":\"pheromone_drop\",\"lane\":\"Code\",\"actor\":\"ada\","
                + "\"data\":{\"topic\":\"x\"}}";

    private static List<RseEntry> read(byte[] line) {
        return RseLine.read(line, 100, PREVIOUS);
    }

    private static List<RseEntry> read(String line) {
        return read(line.getBytes(StandardCharsets.UTF_8));
    }

    private static RseEntry.Read one(String line) {
        List<RseEntry> entries = read(line);
        assertThat(entries).singleElement().isInstanceOf(RseEntry.Read.class);
        return (RseEntry.Read) entries.getFirst();
    }

    private static RseEntry.Bad bad(String line) {
        List<RseEntry> entries = read(line);
        assertThat(entries).singleElement().isInstanceOf(RseEntry.Bad.class);
        return (RseEntry.Bad) entries.getFirst();
    }

    @Nested
    class Text {

        @Test
        void inWindows1252IsRead() {
            byte[] line =
                    DROP.replace("\"x\"", "\"café – 5 €\"")
                            .getBytes(Charset.forName("windows-1252"));
            RseEntry.Read read = (RseEntry.Read) read(line).getFirst();
            assertThat(read.event().data().text("topic")).isEqualTo("café – 5 €");
        }

        @Test
        void withOverlongBytesIsReadAsWindows1252() {
            byte[] line = DROP.replace("\"x\"", "\"??\"").getBytes(StandardCharsets.UTF_8);
            int at = new String(line, StandardCharsets.UTF_8).indexOf('?');
            line[at] = (byte) 0xc0;
            line[at + 1] = (byte) 0x80;
            assertThat(((RseEntry.Read) read(line).getFirst()).event().data().text("topic"))
                    .isEqualTo("À€");
        }

        @Test
        void mayBeginWithByteOrderMarksAndEndInCr() {
            assertThat(one("\ufeff\ufeff" + DROP + "\r").event().type())
                    .isEqualTo("pheromone_drop");
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "\r", "\ufeff", "\t \r"})
        void thatIsBlankIsNothing(String line) {
            assertThat(read(line)).isEmpty();
        }

        @Test
        void keepsLoneSurrogates() {
            assertThat(one(DROP.replace("\"x\"", "\"\\udce9\"")).event().data().text("topic"))
                    .isEqualTo("\udce9");
        }
    }

    @Nested
    class Arrays {

        @Test
        void ofEventsAreThoseEvents() {
            assertThat(read("[" + DROP + "," + DROP + "]"))
                    .hasSize(2)
                    .allSatisfy(entry -> assertThat(entry).isInstanceOf(RseEntry.Read.class));
        }

        @Test
        void giveTheirEventsEvenIfOtherItemsAreBad() {
            List<RseEntry> entries = read("[1," + DROP + ",{}]");
            assertThat(entries).hasSize(2);
            assertThat(entries.getFirst()).isInstanceOf(RseEntry.Read.class);
            assertThat(((RseEntry.Bad) entries.get(1)).reason()).startsWith("2 of 3 in an array: ");
        }

        @Test
        void thatAreEmptyAreNothing() {
            assertThat(read("[]")).isEmpty();
        }
    }

    @Nested
    class Names {

        @Test
        void eventTargetAndNoteStandForTypeLaneAndData() {
            RseEvent event =
                    one("{\"ts\":\"2025-10-15T17:10:00Z\",\"event\":\"worker_start\",\"target\":\"ops\",\"actor\":\"bob\",\"note\":\"went"
                            + " well\"}")
                            .event();
            assertThat(event.type()).isEqualTo("worker_start");
            assertThat(event.lane()).isEqualTo(Lane.OPS);
            assertThat(event.data()).hasToString("{\"note\":\"went well\"}");
        }

        @Test
        void anObjectAsNoteIsTheData() {
            assertThat(one("{\"event\":\"pheromone_drop\",\"note\":{\"topic\":\"y\"}}").event())
                    .isInstanceOfSatisfying(
                            RseEvent.PheromoneDrop.class,
                            drop -> assertThat(drop.topic()).isEqualTo("y"));
        }

        @Test
        void fieldsBesideTheFiveAreKeptInTheData() {
            String line =
                    DROP.replace("\"data\":", "\"level\":\"info\",\"topic\":\"outer\",\"data\":");
            assertThat(one(line).event().data())
                    .hasToString("{\"topic\":\"x\",\"level\":\"info\"}");
        }

        @Test
        void dataThatIsNoObjectIsKeptAsItsValue() {
            assertThat(one("{\"type\":\"x\",\"data\":[1]}").event().data())
                    .hasToString("{\"value\":[1]}");
        }

        @Test
        void missingLaneAndActorAreUnknown() {
            RseEvent event = one("{\"type\":\"x\"}").event();
            assertThat(event.lane().name()).isEqualTo("unknown");
            assertThat(event.actor()).isEqualTo("unknown");
        }

        @Test
        void unknownTypesAndLanesAreKept() {
            RseEvent event =
                    one("{\"type\":\"nap\",\"lane\":\"Kitchen\",\"actor\":\"Ümit (PC 3)\"}")
                            .event();
            assertThat(event).isInstanceOf(RseEvent.Other.class);
            assertThat(event.type()).isEqualTo("nap");
            assertThat(event.lane()).isEqualTo(new Lane("Kitchen"));
            assertThat(event.actor()).isEqualTo("Ümit (PC 3)");
        }

        @Test
        void aLongTargetIsALaneCutShort() {
            assertThat(
                            one("{\"event\":\"x\",\"target\":\"" + "p/".repeat(100) + "\"}")
                                    .event()
                                    .lane()
                                    .name())
                    .hasSize(64)
                    .endsWith("…");
        }
    }

    @Nested
    class Times {

        @ParameterizedTest
        @CsvSource({
            "2025-10-15T17:10:00Z,                2025-10-15T17:10:00Z",
            "2025-10-15T17:10:00.1234567Z,        2025-10-15T17:10:00.123456700Z",
            "2025-10-15T17:10:00.123456789Z,      2025-10-15T17:10:00.123456789Z",
            "2025-10-15T17:10:00,                 2025-10-15T17:10:00Z",
            "2025-10-15T17:10:00.1234567,         2025-10-15T17:10:00.123456700Z",
            "2025-10-15T17:10,                    2025-10-15T17:10:00Z",
            "2025-10-15 17:10:00,                 2025-10-15T17:10:00Z",
            "2025-10-15T19:10:00+02:00,           2025-10-15T17:10:00Z",
            "2025-10-15T19:10:00.5+0200,          2025-10-15T17:10:00.500Z",
            "2025-10-15T19:10:00+02,              2025-10-15T17:10:00Z",
            "2025-10-15t17:10:00z,                2025-10-15T17:10:00Z",
            "2025-10-15,                          2025-10-15T00:00:00Z",
            "9999-01-01T00:00:00Z,                9999-01-01T00:00:00Z",
        })
        void areReadInTheFormsThatPeopleWrite(String written, Instant expected) {
            RseEntry.Read read = one(DROP.replace("2025-10-15T17:10:00Z", written));
            assertThat(read.event().ts()).isEqualTo(expected);
            assertThat(read.timeKnown()).isTrue();
        }

        @ParameterizedTest
        @CsvSource({
            "1760548200, 2025-10-15T17:10:00Z",
            "1760548200123, 2025-10-15T17:10:00.123Z",
            "1760548200.5, 2025-10-15T17:10:00.500Z"
        })
        void asNumbersAreSecondsOrMilliseconds(String number, Instant expected) {
            assertThat(one(DROP.replace("\"2025-10-15T17:10:00Z\"", number)).event().ts())
                    .isEqualTo(expected);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "\"\"",
                    "\"yesterday\"",
                    "null",
                    "-Infinity",
                    "NaN",
                    "1e999999999",
                    "true",
                    "[]",
                    "\"2025-13-45T99:99:99Z\"",
                    "\"+999999999-12-31T23:59:59Z\""
                })
        void thatCannotBeReadAreThoseOfTheEventBefore(String ts) {
            RseEntry.Read read = one(DROP.replace("\"2025-10-15T17:10:00Z\"", ts));
            assertThat(read.timeKnown()).isFalse();
            assertThat(read.event().ts()).isEqualTo(PREVIOUS);
        }
    }

    @Nested
    class BadLines {

        @Test
        void tellPlaceReasonAndBeginning() {
            RseEntry.Bad bad = bad("{\"ts\":\"2025-10-15T17");
            assertThat(bad.offset()).isEqualTo(100);
            assertThat(bad.end()).isEqualTo(100 + 21);
            assertThat(bad.reason()).startsWith("not JSON: column ");
            assertThat(bad.excerpt()).isEqualTo("{\"ts\":\"2025-10-15T17");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "hello",
                    "1",
                    "null",
                    "\"text\"",
                    "{}",
                    "{\"type\":\"\"}",
                    "{\"type\":7}",
                    "\0\0\0",
                    "[[]]"
                })
        void areCountedNotThrown(String line) {
            assertThat(bad(line).reason()).isNotBlank();
        }

        @Test
        void showOnlyTheirBeginning() {
            assertThat(bad("x".repeat(1_000)).excerpt()).hasSize(80);
        }
    }

    @Test
    @Timeout(10)
    void aHundredThousandFieldsAreReadAndWrittenSoon() {
        var line = new StringBuilder("{\"type\":\"x\"");
        for (int i = 0; i < 80_000; i++) {
            line.append(",\"").append(i).append("\":").append(i % 10);
        }
        RseEvent event = one(line.append('}').toString()).event();
        assertThat(event.data().size()).isEqualTo(80_000);
        assertThat(RseLine.write(event).length).isLessThanOrEqualTo(RseLine.WRITTEN_BYTES_MAX);
    }

    @Test
    void aKnownTypeWithoutWhatItNeedsIsKeptAsOther() {
        assertThat(
                        one("{\"type\":\"worker_ack\",\"data\":{\"ref\":\"r\",\"status\":\"maybe\"}}")
                                .event())
                .isInstanceOfSatisfying(
                        RseEvent.Other.class,
                        other -> assertThat(other.type()).isEqualTo("worker_ack"));
    }

    @Test
    void theSpecificationsOwnExamplesAreEventsOfTheirTypes() {
        assertThat(
                        one("{\"ts\":\"2025-10-15T17:30:00Z\",\"type\":\"queen_select\",\"lane\":\"Governance\","
                                + "\"actor\":\"Whisperwing\",\"data\":{\"basis\":\"inbox\",\"id\":\"01J...\",\"rationale\":\"P1"
                                + " and oldest\"}}")
                                .event())
                .isInstanceOf(RseEvent.QueenSelect.class);
        assertThat(
                        one("{\"ts\":\"2025-10-15T17:32:00Z\",\"type\":\"worker_ack\",\"lane\":\"Governance\","
                                + "\"actor\":\"Whisperwing\",\"data\":{\"ref\":\"01J...\",\"status\":\"done\"}}")
                                .event())
                .isInstanceOf(RseEvent.WorkerAck.class);
    }
}
