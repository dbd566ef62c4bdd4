package dev.pheromone.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// How much is found in text that no rule was made for. There is no aim: with one, the rules would
/// be changed until it is met. But what SECURITY.md says is what is found.
class FreshTextTest {

    /// A row counts as found if it is with each of them.
    private static final int SEEDS = 5;

    private final Redactor redactor = new Redactor(Rules.builtIn(), PrivateWords.NONE);

    /// Rows of one group, and of how many the redactor changed what it should, or should not.
    private static final class Group {
        private int rows;
        private int found;

        private int missed() {
            return rows - found;
        }
    }

    @Test
    void theSecurityPageSaysWhatIsFound() throws IOException {
        String page = Files.readString(securityPage());
        look("/fresh.txt")
                .forEach((name, group) ->
                        assertThat(page)
                                .contains(
                                        "| %s | %d of %d |"
                                                .formatted(label(name), group.found, group.rows)));
    }

    /// Counted in rows, not in shares: a share leaves room for a whole rule to be lost.
    @Test
    void whatRulesWereMadeForIsFound() throws IOException {
        Map<String, Group> groups = look("/seen.txt");
        assertThat(groups.get("plain").missed()).isLessThanOrEqualTo(16);
        assertThat(groups.get("disguised").missed()).isLessThanOrEqualTo(15);
        assertThat(groups.get("personal").missed()).isLessThanOrEqualTo(8);
        assertThat(groups.get("clean").found).isLessThanOrEqualTo(1);
    }

    private Map<String, Group> look(String file) throws IOException {
        List<List<Corpus.Row>> bySeed = new ArrayList<>();
        for (int seed = 1; seed <= SEEDS; seed++) {
            bySeed.add(Corpus.rows(file, seed));
        }
        Map<String, Group> groups = new TreeMap<>();
        for (Corpus.Row first : bySeed.getFirst()) {
            int row = bySeed.getFirst().indexOf(first);
            List<Corpus.Row> seeded = bySeed.stream().map(rows -> rows.get(row)).toList();
            boolean isFound =
                    first.isClean()
                            ? seeded.stream().anyMatch(this::isChanged)
                            : seeded.stream().allMatch(this::isTakenOut);
            Group group = groups.computeIfAbsent(first.kind(), _ -> new Group());
            group.rows++;
            group.found += isFound ? 1 : 0;
            if (isFound == first.isClean()) {
                System.out.println(
                        (isFound ? "mistaken: " : "missed: ") + file + " " + first.line());
            }
        }
        groups.forEach((name, group) ->
                System.out.printf(
                        "redaction, %s, %s: %d of %d%n",
                        file.substring(1), name, group.found, group.rows));
        return groups;
    }

    private boolean isChanged(Corpus.Row row) {
        return !redactor.redact(row.text()).isClean();
    }

    private boolean isTakenOut(Corpus.Row row) {
        String after = redactor.redact(row.text()).after();
        return row.secrets().stream().noneMatch(after::contains);
    }

    private static String label(String group) {
        return switch (group) {
            case "plain" -> "credentials, found";
            case "disguised" -> "disguised credentials and addresses, found";
            case "personal" -> "personal data, found";
            case "clean" -> "look-alikes, taken for one of these";
            default -> throw new IllegalArgumentException("group: found \"" + group + "\"");
        };
    }

    private static Path securityPage() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("SECURITY.md"))) {
            folder = folder.getParent();
        }
        return Path.of(String.valueOf(folder), "SECURITY.md");
    }
}
