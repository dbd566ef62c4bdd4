package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.selection.Waiting;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

/// A process that meets what it may not touch, and is not root: `FOLDER CASE`.
final class PermissionMain {

    enum Case {
        UNREADABLE_MAIL,
        UNREADABLE_CLAIM,
        UNREADABLE_HISTORY,
        READ_ONLY_INBOX,
        UNWRITABLE_TELEMETRY
    }

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("claude-7f3a");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(1));
    private static final Settlement DONE =
            new Settlement.Settled(State.DONE, Settlement.Confirmation.ON_DISK);

    private final TestHive hive;
    private final FileTransport transport;
    private final Inbox inbox;

    private PermissionMain(TestHive hive, FileTransport transport) throws Exception {
        this.hive = hive;
        this.transport = transport;
        this.inbox = transport.inbox(CODE);
    }

    public static void main(String[] arguments) throws Exception {
        TestHive hive = new TestHive(Path.of(arguments[0]));
        try (FileTransport transport = hive.open()) {
            PermissionMain main = new PermissionMain(hive, transport);
            switch (Case.valueOf(arguments[1])) {
                case UNREADABLE_MAIL -> main.unreadableMail();
                case UNREADABLE_CLAIM -> main.unreadableClaim();
                case UNREADABLE_HISTORY -> main.unreadableHistory();
                case READ_ONLY_INBOX -> main.readOnlyInbox();
                case UNWRITABLE_TELEMETRY -> main.unwritableTelemetry();
            }
        }
    }

    private Envelope mail(String topic) {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code"), Address.parse("queen://docs")),
                        Lane.CODE,
                        topic)
                .ts(hive.clock.instant())
                .body("Do it.\n")
                .seal();
    }

    private Envelope send(String topic) throws Exception {
        // So that they are taken in the order in which they were sent.
        hive.clock.advance(Duration.ofSeconds(1));
        Envelope envelope = mail(topic);
        for (Receipt.Copy copy : transport.send(envelope).copies()) {
            assertThat(copy.result()).isInstanceOf(SendResult.Delivered.class);
        }
        return envelope;
    }

    private static void permit(String permissions, Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private void assertTakes(Envelope envelope) throws IOException {
        Claim claim = take();
        assertThat(claim.envelope().topic()).isEqualTo(envelope.topic());
        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(DONE);
    }

    private Claim take() throws IOException {
        Selection selection = inbox.select(WORKER, LEASE);
        assertThat(selection).isInstanceOf(Selection.Taken.class);
        return ((Selection.Taken) selection).claim();
    }

    private void assertNothing() throws IOException {
        assertThat(inbox.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
    }

    /// The one file that waits is shown with why it is not delivered.
    private void assertShown(Path file) throws IOException {
        assertThat(inbox.waiting())
                .singleElement()
                .isInstanceOfSatisfying(
                        Waiting.Bad.class,
                        bad -> {
                            assertThat(bad.location()).isEqualTo(hive.layout.nameOf(file));
                            assertThat(bad.reason())
                                    .contains("can't be read")
                                    .contains("permission denied");
                        });
    }

    /// Recovery goes on past the file, and names it.
    private void assertRecoveryNames(Path file) throws IOException {
        hive.clock.advance(Duration.ofMinutes(2));
        assertThat(transport.upkeep().recover(Recovery.Extent.ALL))
                .filteredOn(finding -> finding.severity() != Finding.Severity.MENDED)
                .isNotEmpty()
                .allSatisfy(finding -> {
                    assertThat(finding.thing()).isEqualTo(hive.layout.nameOf(file));
                    assertThat(finding.found()).contains("permission denied");
                });
    }

    private void unreadableMail() throws Exception {
        Envelope hidden = send("hidden");
        Envelope first = send("first");
        Envelope second = send("second");
        Path file = hive.layout.mail(CODE, hidden.id());
        permit("---------", file);

        assertTakes(first);
        assertTakes(second);
        assertNothing();
        assertShown(file);
        assertRecoveryNames(file);
        assertThat(file).exists();

        permit("rw-------", file);
        assertTakes(hidden);
    }

    private void unreadableClaim() throws Exception {
        send("hidden");
        Claim claim = take();
        Envelope other = send("other");
        Path file = hive.layout.active(CODE).resolve(claim.token() + ".md");
        permit("---------", file);
        hive.clock.advance(LEASE.duration().plusMinutes(1));

        assertTakes(other);
        assertThat(transport.problems())
                .anySatisfy(problem ->
                        assertThat(problem).contains(claim.token()).contains("permission denied"));
        assertRecoveryNames(file);

        permit("rw-------", file);
        assertNothing();
        hive.clock.advance(FileLimits.defaults().pauseMax());
        assertTakes(claim.envelope());
    }

    private void unreadableHistory() throws Exception {
        Envelope hidden = send("hidden");
        inbox.settle(take().token(), new Outcome.Released(""));
        Envelope other = send("other");
        Path file = hive.layout.history(CODE, hidden.id().text());
        permit("---------", file);

        assertTakes(other);
        assertNothing();
        assertShown(hive.layout.mail(CODE, hidden.id()));
        assertRecoveryNames(hive.layout.mail(CODE, hidden.id()));

        permit("rw-------", file);
        assertTakes(hidden);
    }

    private void readOnlyInbox() throws Exception {
        Envelope waiting = send("waiting");
        permit("r-xr-xr-x", hive.layout.drafts(CODE));
        permit("r-xr-xr-x", hive.layout.inbox(CODE));
        hive.clock.advance(Duration.ofSeconds(1));
        Envelope envelope = mail("refused");
        List<Receipt.Copy> copies = transport.send(envelope).copies();

        assertThat(copies.getFirst().result())
                .isInstanceOfSatisfying(
                        SendResult.Failed.class,
                        failed ->
                                assertThat(failed.cause())
                                        .isInstanceOf(AccessDeniedException.class)
                                        .hasMessageContaining("inbox/code"));
        assertThat(copies.getLast().result()).isInstanceOf(SendResult.Delivered.class);
        assertThat(hive.layout.mail(CODE, envelope.id())).doesNotExist();

        permit("rwxr-xr-x", hive.layout.inbox(CODE));
        permit("rwxr-xr-x", hive.layout.drafts(CODE));
        assertThat(transport.send(envelope).copies())
                .extracting(copy -> copy.result().getClass().getSimpleName())
                .containsExactly("Delivered", "Duplicate");
        assertTakes(waiting);
        assertTakes(envelope);
    }

    private void unwritableTelemetry() throws Exception {
        Path telemetry = Files.createDirectory(hive.layout.hive().resolve("telemetry"));
        permit("r-xr-xr-x", telemetry);
        Envelope envelope = send("untold");
        assertTakes(envelope);
        assertThat(transport.problems())
                .isNotEmpty()
                .allSatisfy(problem ->
                        assertThat(problem)
                                .startsWith("event log: ")
                                .endsWith("permission denied"));

        permit("rwxr-xr-x", telemetry);
        hive.clock.advance(Duration.ofMinutes(2));
        transport.upkeep().recover(Recovery.Extent.ALL);
        assertThat(hive.events("rsm_envelope_emit")).hasSize(2);
        assertThat(hive.events("worker_ack")).hasSize(1);
    }
}
