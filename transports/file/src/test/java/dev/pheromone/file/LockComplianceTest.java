package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.address.Address;
import dev.pheromone.file.log.LogTurn;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.Cursor;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Section 10 of the specification, "Lock compliance": with ROTG-2 active, an attempt to read or
/// write in `.deia` is an advisory and a `policy_guard` event, and nothing else. `FreezeTest` does
/// it with every command, `LockStormTest` with many processes.
final class LockComplianceTest extends OneInbox {

    private Claim claim;

    @BeforeEach
    void lockAHiveInUse() throws Exception {
        transport.send(hive.mail().seal());
        claim = TestHive.take(inbox);
        transport.send(hive.mail().seal());
        Files.createFile(LockFiles.hiveLock(hive.layout));
    }

    private Map<String, String> hiveFiles() throws Exception {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(hive.layout.hive())) {
            for (Path path : paths.toList()) {
                files.put(
                        hive.layout.nameOf(path),
                        Files.size(path) + " " + Files.getLastModifiedTime(path));
            }
        }
        return files;
    }

    private List<String> events() throws Exception {
        return Files.exists(hive.layout.mirrorLog())
                ? Files.readAllLines(hive.layout.mirrorLog())
                : List.of();
    }

    private void assertTold(String mode) throws Exception {
        assertThat(events())
                .singleElement()
                .asString()
                .contains(
                        "\"type\":\"policy_guard\"",
                        "\"lock\":\"do-not-erase\"",
                        "\"mode\":\"" + mode + "\"",
                        "\"source\":\"rotg-2\"");
    }

    @Test
    void sendingIsAnAdvisoryAndKeepsTheMailInTheMirror() throws Exception {
        Map<String, String> before = hiveFiles();

        assertThat(transport.send(hive.mail().seal()).copies().getFirst().result())
                .isInstanceOfSatisfying(
                        SendResult.Withheld.class,
                        withheld -> assertThat(withheld.embargo()).startsWith(".embargo/inbox/"));

        assertThat(hiveFiles()).isEqualTo(before);
        assertTold("advisory");
    }

    @Test
    void takingIsBlocked() throws Exception {
        Map<String, String> before = hiveFiles();

        assertThat(inbox.select(TestHive.WORKER, TestHive.LEASE))
                .isInstanceOf(Selection.Withheld.class);

        assertThat(hiveFiles()).isEqualTo(before);
        assertTold("blocked");
    }

    @Test
    void theOutcomeOfWorkIsAnAdvisoryAndIsKept() throws Exception {
        Map<String, String> before = hiveFiles();

        assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                .isInstanceOfSatisfying(
                        Settlement.Withheld.class,
                        withheld -> assertThat(withheld.embargo()).startsWith(".embargo/outcome/"));

        assertThat(hiveFiles()).isEqualTo(before);
        assertTold("advisory");
    }

    @Test
    void everyOtherWayInIsWithheld() throws Exception {
        Map<String, String> before = hiveFiles();
        List<ThrowingCallable> ways =
                List.of(
                        () -> inbox.waiting(),
                        () -> transport.domains(),
                        () -> transport.catalog().all(TestHive.CODE),
                        () -> transport.picking(TestHive.CODE).preview(),
                        () -> transport.createInbox(Address.parse("queen://ops").domain()),
                        () -> transport.upkeep().recover(Recovery.Extent.ALL),
                        () -> transport.log().read(Cursor.START).next(),
                        () -> LogTurn.foraging(hive.layout, new LockFiles(hive.layout)).tryBegin());
        for (ThrowingCallable way : ways) {
            assertThatThrownBy(way).isInstanceOf(WithheldException.class);
        }
        assertThat(hiveFiles()).isEqualTo(before);
    }
}
