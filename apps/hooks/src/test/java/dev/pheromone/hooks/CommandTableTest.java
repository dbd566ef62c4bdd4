package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/// Every row of `commands.txt` gets the decision that it expects.
class CommandTableTest {
    private static final int ROWS_MIN = 200;
    private static final Map<String, String> ENVIRONMENT =
            Map.of(
                    "HOME",
                    "/home/sam",
                    "USER",
                    "sam",
                    "PATH",
                    "/usr/bin:/bin",
                    "_",
                    "/bin/java",
                    "OPTARG",
                    "a.txt");

    record Row(String situation, Path folder, String command, String expected, String why) {
        static Row parse(String line) {
            String[] columns = line.split(" ¦ ", -1);
            if (columns.length != 5) {
                throw new IllegalArgumentException("five columns expected: " + line);
            }
            String command = columns[2].replace('⏎', '\n').replace('⇥', '\t');
            return new Row(
                    columns[0],
                    TableLocks.ROOT.resolve(columns[1]).normalize(),
                    command,
                    columns[3],
                    columns[4]);
        }

        Decision decision() {
            String json =
                    Json.obj()
                            .put("hook_event_name", "PreToolUse")
                            .put("tool_name", "Bash")
                            .put("cwd", folder.toString())
                            .put("tool_input", Json.obj().put("command", command))
                            .toString();
            var check = new ToolCallCheck(Harness.CLAUDE, TableLocks.of(situation), ENVIRONMENT);
            return check.decide("PreToolUse", json.getBytes(StandardCharsets.UTF_8), Path.of("/"));
        }
    }

    @TestFactory
    Stream<DynamicTest> commandsGetTheDecisionOfTheTable() throws IOException {
        return rows().stream()
                .map(row ->
                        DynamicTest.dynamicTest(
                                row.situation() + ": " + row.command() + ": " + row.why(),
                                () -> {
                                    Decision decision = row.decision();
                                    assertThat(
                                                    decision instanceof Decision.Blocked
                                                            ? "blocked"
                                                            : "free")
                                            .as("%s (%s): %s", row.command(), row.why(), decision)
                                            .isEqualTo(row.expected());
                                }));
    }

    @Test
    void theTableIsLargeAndHasBothKinds() throws IOException {
        List<Row> rows = rows();
        long blocked = rows.stream().filter(row -> row.expected().equals("blocked")).count();

        System.out.printf(
                "commands: %d rows, %d blocked, %d free%n",
                rows.size(), blocked, rows.size() - blocked);
        assertThat(rows).hasSizeGreaterThan(ROWS_MIN);
        assertThat(blocked).isGreaterThan(ROWS_MIN / 2);
        assertThat(rows.size() - blocked).isGreaterThan(ROWS_MIN / 4);
    }

    @Test
    void everyBlockedCommandHasAReasonOfOneLine() throws IOException {
        for (Row row : rows()) {
            if (row.decision() instanceof Decision.Blocked(String reason, var _, var _)) {
                assertThat(reason).as(row.command()).isNotBlank().doesNotContain("\n", "\t");
            }
        }
    }

    static List<Row> rows() throws IOException {
        try (InputStream in = CommandTableTest.class.getResourceAsStream("commands.txt")) {
            String text =
                    new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Row::parse)
                    .toList();
        }
    }
}
