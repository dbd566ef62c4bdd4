package dev.pheromone.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

class OutsideGuardTest {

    @TempDir Path folder;

    private HiveLayout layout;
    private Path told;

    @BeforeEach
    void makeHive() throws IOException {
        layout = new HiveLayout(folder.toRealPath());
        Files.createDirectories(layout.hive().resolve("tools"));
        told = layout.root().resolve("told");
    }

    private LockFiles guardThat(String script) throws IOException {
        Path file = layout.hive().resolve("tools/policy_guard.sh");
        Files.writeString(file, script);
        ContentHash hash = ContentHash.of(Files.readAllBytes(file));
        return new LockFiles(layout, () -> Set.of(hash), InstantSource.system(), () -> "ada");
    }

    private List<String> questions() throws IOException {
        return Files.exists(told) ? Files.readAllLines(told) : List.of();
    }

    private static String reason(Verdict verdict) {
        return verdict instanceof Verdict.Blocked(var _, String reason) ? reason : "free";
    }

    @Test
    void aGuardLearnsPathAccessAndActor() throws IOException {
        LockFiles guard = guardThat("echo \"$RSM_ACCESS $RSM_PATH $RSM_ACTOR\" >> told");

        assertThat(guard.check(layout.hive().resolve("inbox/code/x.md"), Access.ERASE))
                .isEqualTo(Verdict.ALLOWED);

        assertThat(questions()).contains("read .deia ada", "erase .deia/inbox/code ada");
    }

    @Test
    void itsLastLineIsTheReason() throws IOException {
        LockFiles guard =
                guardThat(
                        "[ \"$RSM_PATH\" = .deia ] || { echo one; printf 'not \\033[1mnow\\n\\n';"
                                + " exit 3; }");

        assertThat(reason(guard.check(layout.hive().resolve("hive.yaml"), Access.READ)))
                .isEqualTo("the outside guard said 3: not ?[1mnow");
    }

    @Test
    void aGuardThatSaysNothingIsQuotedByItsExitCode() throws IOException {
        assertThat(reason(guardThat("exit 7").check(layout.hive(), Access.READ)))
                .isEqualTo("the outside guard said 7, expected 0");
    }

    @Test
    void aGuardMayPrintMoreThanAnybodyReads() throws IOException {
        LockFiles guard =
                guardThat("head -c 300000 /dev/zero | tr '\\0' x; echo; echo why; exit 1");

        assertThat(reason(guard.check(layout.hive(), Access.READ)))
                .isEqualTo("the outside guard said 1: why");
    }

    @Test
    void aNoAboutOneRoomLeavesTheOthersFree() throws IOException {
        LockFiles guard = guardThat("[ \"$RSM_ACCESS $RSM_PATH\" != 'write .deia/inbox/code' ]");

        assertThat(guard.check(layout.hive().resolve("inbox/code/x.md"), Access.WRITE))
                .isInstanceOf(Verdict.Blocked.class);
        assertThat(guard.check(layout.hive().resolve("inbox/code/x.md"), Access.READ))
                .isEqualTo(Verdict.ALLOWED);
        assertThat(guard.check(layout.hive().resolve("inbox/docs/x.md"), Access.WRITE))
                .isEqualTo(Verdict.ALLOWED);
    }

    @Test
    void allMailOfAnInboxIsOneQuestion() throws IOException {
        LockFiles guard = guardThat("echo \"$RSM_PATH\" >> told");
        long began = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            guard.check(layout.hive().resolve("inbox/code/" + i + ".md"), Access.READ);
        }
        long seconds = (System.nanoTime() - began) / 1_000_000_000L;

        // An answer holds for a second; on a busy machine the twenty may take longer than that.
        assertThat(questions().stream().filter(".deia/inbox/code"::equals).count())
                .isBetween(1L, seconds + 1);
    }

    @Test
    void filesOutsideOfTheHiveAreNotItsBusiness() throws IOException {
        LockFiles guard = guardThat("[ \"$RSM_PATH\" = .deia ]");

        assertThat(guard.check(layout.root().resolve("src/a.txt"), Access.WRITE))
                .isEqualTo(Verdict.ALLOWED);
    }
}
