package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.InterposedDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.selection.Waiting;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// What anybody may find in an inbox folder: nothing hangs, nothing outside is read or changed,
/// each is reported and put aside, and the good mail beside it is delivered.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostileInboxTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(30));
    private static final Actor WORKER = Actor.parse("claude-7f3a");

    /// After which nobody can still be writing, however long it took to get here: files have the
    /// real time.
    private static final Duration QUIET = Duration.ofMinutes(5);

    private static final String SECRET = "a file outside the hive\n";

    @TempDir Path root;
    private TestHive hive;
    private FileTransport transport;
    private Inbox inbox;
    private Path folder;
    private Path outside;

    @BeforeEach
    void open() throws Exception {
        hive = new TestHive(root);
        transport = hive.open();
        inbox = transport.inbox(CODE);
        folder = hive.layout.inbox(CODE);
        outside = Files.writeString(root.resolve("outside.md"), SECRET);
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    private Envelope envelope() {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        "good mail")
                .ts(hive.clock.instant())
                .body("Still here.\n")
                .seal();
    }

    /// The good mail is delivered first; then each bad file is in the archive and in the log, and
    /// nothing else happened.
    private void assertPutAside(int count, String... reasons) throws Exception {
        assertThat(badAtAGlance()).isEqualTo(count);
        assertDelivered(count, reasons);
    }

    private long badAtAGlance() throws IOException {
        hive.clock.advance(QUIET);
        return inbox.waiting().stream().filter(Waiting.Bad.class::isInstance).count();
    }

    private void assertDelivered(int count, String... reasons) throws Exception {
        Envelope good = envelope();
        transport.send(good);
        Selection selection = inbox.select(WORKER, LEASE);
        assertThat(selection).isInstanceOf(Selection.Taken.class);
        assertThat(((Selection.Taken) selection).claim().envelope().bytes())
                .isEqualTo(good.bytes());
        inbox.settle(((Selection.Taken) selection).claim().token(), new Outcome.Done(""));
        for (int i = 0; i < count; i++) {
            assertThat(inbox.select(WORKER, LEASE)).isInstanceOf(Selection.Nothing.class);
        }
        assertThat(inbox.waiting()).isEmpty();
        assertThat(hive.events("rsm_envelope_dead"))
                .hasSize(count)
                .extracting(event -> ((RseEvent.RsmEnvelopeDead) event).reason())
                .allSatisfy(reason -> assertThat(reason).containsAnyOf(reasons));
        assertThat(outside).hasContent(SECRET);
    }

    private void run(String... command) throws Exception {
        Process process =
                new ProcessBuilder(command).directory(folder.toFile()).inheritIO().start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    }

    @Test
    void symbolicLinksAreNotFollowed() throws Exception {
        Files.createSymbolicLink(folder.resolve("to-a-file.md"), outside);
        Files.createSymbolicLink(folder.resolve("to-a-folder.md"), root);
        Files.createSymbolicLink(folder.resolve("to-itself.md"), folder.resolve("to-itself.md"));
        Files.createSymbolicLink(folder.resolve("to-nothing.md"), root.resolve("nothing"));

        assertPutAside(4, "symbolic link");
    }

    @Test
    void aLinkToGoodMailIsNotMail() throws Exception {
        Path good = root.resolve("good.md");
        Files.write(good, envelope().bytes());
        Files.createSymbolicLink(folder.resolve("linked.md"), good);

        assertPutAside(1, "symbolic link");
    }

    @Test
    void aHardLinkToAFileElsewhereIsNotMail() throws Exception {
        Path elsewhere = root.resolve("elsewhere.md");
        Envelope envelope = envelope();
        Files.write(elsewhere, envelope.bytes());
        Files.createLink(folder.resolve("linked.md"), elsewhere);

        assertThat(badAtAGlance()).isZero();
        assertDelivered(1, "hard links");
        assertThat(elsewhere).hasBinaryContent(envelope.bytes());
    }

    @Test
    void pipesAndSocketsHangNobody() throws Exception {
        run("mkfifo", "pipe.md");
        run("python3", "-c", "import socket; socket.socket(socket.AF_UNIX).bind('socket.md')");

        assertPutAside(2, "device, pipe or socket");
    }

    @Test
    void aPipeInTheWayOfMailIsAConflict() throws Exception {
        Envelope envelope = envelope();
        run("mkfifo", envelope.id() + ".md");

        assertThat(transport.send(envelope).copies().getFirst().result())
                .isInstanceOf(SendResult.Conflict.class);
    }

    @Test
    void devicesAreNotRead() throws Exception {
        if (!System.getProperty("user.name").equals("root")) {
            System.out.println("NOT RUN: devicesAreNotRead needs root to make a device");
            return;
        }
        run("mknod", "zero.md", "c", "1", "5");

        assertPutAside(1, "device, pipe or socket");
    }

    @Test
    void aFileOfOneTebibyteCostsNothing() throws Exception {
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("huge.md").toFile(), "rw")) {
            file.setLength(1L << 40);
        }

        assertPutAside(1, "found 1099511627776 bytes");
    }

    @Test
    void aFolderNamedLikeAnEnvelopeIsMovedAsAWhole() throws Exception {
        Path named = Files.createDirectory(folder.resolve("01M7GM02TZXN1DYB35GAF891FT.md"));
        Files.writeString(named.resolve("inside"), "kept");

        assertPutAside(1, "a folder");
        assertThat(hive.filesIn("archive")).anyMatch(name -> name.endsWith("/inside"));
    }

    @Test
    void headersThatGoOnForEverAndBombsAreRefused() throws Exception {
        Files.writeString(folder.resolve("long.md"), "---\n" + "a: b\n".repeat(2_000_000));
        StringBuilder bomb = new StringBuilder("---\na: &a [x, x, x, x, x, x, x, x, x]\n");
        for (char c = 'b'; c < 'z'; c++) {
            bomb.append(c).append(": &").append(c).append(" [");
            bomb.append(("*" + (char) (c - 1) + ", ").repeat(8))
                    .append("*")
                    .append((char) (c - 1))
                    .append("]\n");
        }
        Files.writeString(folder.resolve("bomb.md"), bomb.append("---\n"));
        Files.writeString(folder.resolve("deep.md"), "---\nto: " + "[".repeat(8_000) + "\n---\n");

        assertPutAside(3, "bytes", "line 2");
    }

    @Test
    void idsAndAddressesThatLeaveTheFolderAreRefused() throws Exception {
        String good = new String(envelope().bytes(), StandardCharsets.UTF_8);
        Files.writeString(
                folder.resolve("id.md"), good.replaceFirst("id: .*", "id: ../../../outside"));
        Files.writeString(
                folder.resolve("to.md"),
                good.replaceFirst("queen://code", "queen://../../outside"));
        Files.writeString(folder.resolve("..md"), good);

        // Who it is for is read when it is taken.
        assertThat(badAtAGlance()).isEqualTo(1);
        assertDelivered(2, "id", "to");
    }

    @Test
    void namesThatAreNoTextAreMovedToo() throws Exception {
        run(
                "bash",
                "-c",
                "printf x > $'new\\nline.md'; printf x > $'bad\\xff\\xfe.md'; printf x >"
                        + " $'tab\\t\\e[31m.md'");

        assertPutAside(3, "line 1");
    }

    @Test
    void whatWasBuriedHangsNobodyWhoLooksAtTheArchive() throws Exception {
        run("mkfifo", "pipe.md");
        Files.createSymbolicLink(folder.resolve("to-itself.md"), folder.resolve("to-itself.md"));
        assertPutAside(2, "device, pipe or socket", "symbolic link");

        for (Catalog.Item item : transport.catalog().archived(CODE, State.DEAD)) {
            assertThat(transport.catalog().read(item)).isEmpty();
        }
    }

    @Test
    void aPipeInPlaceOfAHistoryHangsNobody() throws Exception {
        Envelope envelope = envelope();
        Files.createDirectories(hive.layout.histories(CODE));
        run("mkfifo", hive.layout.history(CODE, envelope.id().text()).toString());

        assertDelivered(0, "");
    }

    @Test
    void goodMailThatReplacesABadFileAtTheLastMomentIsDelivered() throws Exception {
        Files.writeString(folder.resolve("mine.md"), "not yet");
        hive.clock.advance(QUIET);
        Envelope good = envelope();
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("rename") && what.contains("/.return/"),
                        () -> hive.write(good, "mine.md"));
        try (FileTransport other = hive.open(disk)) {
            other.inbox(CODE).select(WORKER, LEASE);
            assertThat(disk.isPlayed()).isTrue();
        }
        assertThat(transport.catalog().all(CODE))
                .extracting(Catalog.Item::state)
                .containsAnyOf(State.WAITING, State.ACTIVE)
                .doesNotContain(State.DEAD);
    }

    @Test
    void tenThousandBadFilesDelayNoMail() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            Files.write(folder.resolve("garbage" + i + ".md"), new byte[] {(byte) i, 1, 2});
        }
        Envelope good = envelope();
        transport.send(good);
        hive.clock.advance(QUIET);

        assertThat(inbox.select(WORKER, LEASE)).isInstanceOf(Selection.Taken.class);
        assertThat(inbox.waiting()).hasSizeBetween(9_900, 9_999);
    }

    @Test
    void whatIsStillBeingWrittenIsLeftAlone() throws Exception {
        Envelope envelope = envelope();
        byte[] bytes = envelope.bytes();
        Path file = folder.resolve("growing.md");
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 5));
        assertThat(inbox.select(WORKER, LEASE)).isInstanceOf(Selection.Nothing.class);
        assertThat(file).exists();

        Files.write(file, bytes);
        assertThat(inbox.select(WORKER, LEASE)).isInstanceOf(Selection.Taken.class);
    }

    @Test
    void filesThatAreNotNamedLikeMailStay() throws Exception {
        Files.write(folder.resolve("draft.md.tmp"), envelope().bytes());
        Files.write(folder.resolve(".hidden.md"), envelope().bytes());
        Files.writeString(folder.resolve("README"), "Mail goes here.");
        hive.clock.advance(QUIET);

        assertThat(inbox.select(WORKER, LEASE)).isInstanceOf(Selection.Nothing.class);
        assertThat(folder.resolve("draft.md.tmp")).exists();
        assertThat(folder.resolve(".hidden.md")).exists();
        assertThat(folder.resolve("README")).exists();
    }
}
