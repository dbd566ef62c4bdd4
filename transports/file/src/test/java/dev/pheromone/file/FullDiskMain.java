package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/// A process that uses a hive on a small volume of its own, which it keeps full: `FOLDER
/// BLOCKS|INODES ROUNDS`.
///
/// Each round frees a little and sends, takes and settles until nothing works any more. In the end
/// there is room again, and everything that was sent is done, once.
final class FullDiskMain {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("claude-7f3a");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(30));

    private static final int FREED_MAX = 6;
    private static final int FAILURES_A_ROUND = 6;
    private static final int STEPS_A_ROUND_MAX = 200;

    private final TestHive hive;
    private final Ballast ballast;
    private final Random random;
    private final Map<EnvelopeId, Envelope> delivered = new HashMap<>();
    private final Map<EnvelopeId, Envelope> failed = new HashMap<>();
    private final Set<EnvelopeId> done = new HashSet<>();
    private final List<Claim> held = new ArrayList<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private int sent;

    private FullDiskMain(Path volume, Ballast.Room room, Random random) throws IOException {
        this.hive = new TestHive(volume);
        this.ballast = new Ballast(Files.createDirectory(volume.resolve("ballast")), room);
        this.random = random;
    }

    public static void main(String[] arguments) throws Exception {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        System.out.println("full disk: seed " + seed);
        Ballast.Room room = Ballast.Room.valueOf(arguments[1]);
        new FullDiskMain(Path.of(arguments[0]), room, new Random(seed))
                .run(Integer.parseInt(arguments[2]));
    }

    private void run(int rounds) throws Exception {
        try (FileTransport transport = open()) {
            for (int round = 0; round < rounds; round++) {
                ballast.fill();
                ballast.free(1 + random.nextInt(FREED_MAX));
                useUntilFull(transport);
                checkInbox();
            }
            ballast.freeAll();
            sendAgain(transport);
        }
        try (FileTransport transport = open()) {
            finish(transport);
        }
        checkEnd();
    }

    private FileTransport open() {
        return hive.open(
                new LocalDisk(), StormHive.patient(), TrustList.empty(), FileLimits.defaults());
    }

    private void useUntilFull(FileTransport transport) throws Exception {
        Inbox inbox = transport.inbox(CODE);
        int left = FAILURES_A_ROUND;
        for (int step = 0; step < STEPS_A_ROUND_MAX && left > 0; step++) {
            int choice = random.nextInt(4);
            String deed = choice < 2 ? "send" : choice == 2 ? "select" : "settle";
            try {
                boolean stored =
                        switch (deed) {
                            case "send" -> send(transport);
                            case "select" -> select(inbox);
                            default -> settle(inbox);
                        };
                left -= stored ? 0 : 1;
            } catch (IOException e) {
                checkIsClear(e);
                failures.merge(deed, 1, Integer::sum);
                left--;
            }
        }
        assertThat(left).as("the disk was never full").isZero();
    }

    private static void checkIsClear(IOException e) {
        // The second is said of a write that still found room for a part.
        assertThat(e.getMessage()).containsAnyOf("No space left", "disk full");
    }

    /// Returns whether it was stored.
    private boolean send(FileTransport transport) throws Exception {
        Envelope envelope = StormMail.of(0, sent++, hive.clock.instant());
        SendResult result = send(transport, envelope);
        if (result instanceof SendResult.Failed(var cause)) {
            checkIsClear(cause);
            failures.merge("send", 1, Integer::sum);
            failed.put(envelope.id(), envelope);
            assertThat(hive.layout.mail(CODE, envelope.id())).doesNotExist();
            // Beside what was left of it, only marks of earlier mail that could not be forced.
            assertThat(hive.layout.drafts(CODE))
                    .isDirectoryNotContaining(file -> !file.toString().endsWith(".unforced"));
            return false;
        }
        assertThat(result)
                .isInstanceOfAny(SendResult.Delivered.class, SendResult.Unconfirmed.class);
        delivered.put(envelope.id(), envelope);
        return true;
    }

    private static SendResult send(FileTransport transport, Envelope envelope) throws Exception {
        return transport.send(envelope).copies().getFirst().result();
    }

    private boolean select(Inbox inbox) throws IOException {
        if (inbox.select(WORKER, LEASE) instanceof Selection.Taken(var claim)) {
            check(claim);
            held.add(claim);
        }
        return true;
    }

    private void check(Claim claim) {
        EnvelopeId id = claim.envelope().id();
        assertThat(done).as("what was done").doesNotContain(id);
        assertThat(claim.envelope().bytes()).isEqualTo(delivered.get(id).bytes());
    }

    /// Settles a claim one way or another. If that fails it is let go of: its lease will end.
    private boolean settle(Inbox inbox) throws IOException {
        if (held.isEmpty()) {
            return true;
        }
        Claim claim = held.removeLast();
        Outcome outcome =
                switch (random.nextInt(4)) {
                    case 0 -> new Outcome.Failed("no luck");
                    case 1 -> new Outcome.Released("");
                    default -> new Outcome.Done("");
                };
        Settlement settlement = inbox.settle(claim.token(), outcome);
        assertThat(settlement).isInstanceOf(Settlement.Settled.class);
        if (outcome instanceof Outcome.Done) {
            done.add(claim.envelope().id());
        }
        return true;
    }

    /// Whatever is in the inbox is whole.
    private void checkInbox() throws Exception {
        try (var files = Files.newDirectoryStream(hive.layout.inbox(CODE), "*.md")) {
            for (Path file : files) {
                Envelope envelope = Envelope.parse(Files.readAllBytes(file));
                assertThat(envelope.bytes()).isEqualTo(delivered.get(envelope.id()).bytes());
            }
        }
    }

    /// Now there is room: what failed is sent as if it never had been, and the rest is known.
    private void sendAgain(FileTransport transport) throws Exception {
        for (Envelope envelope : delivered.values()) {
            assertThat(send(transport, envelope))
                    .isInstanceOfAny(SendResult.Duplicate.class, SendResult.Unconfirmed.class);
        }
        for (Envelope envelope : failed.values()) {
            assertThat(send(transport, envelope)).isInstanceOf(SendResult.Delivered.class);
        }
        delivered.putAll(failed);
    }

    private void finish(FileTransport transport) throws Exception {
        hive.clock.advance(LEASE.duration().plusMinutes(2));
        transport.upkeep().recover(Recovery.Extent.ALL);
        hive.clock.advance(FileLimits.defaults().pauseMax().plusMinutes(1));
        Inbox inbox = transport.inbox(CODE);
        while (inbox.select(WORKER, LEASE) instanceof Selection.Taken(var claim)) {
            check(claim);
            inbox.settle(claim.token(), new Outcome.Done(""));
            done.add(claim.envelope().id());
        }
        hive.clock.advance(Duration.ofMinutes(2));
        transport.upkeep().recover(Recovery.Extent.ALL);
        assertThat(transport.catalog().all(CODE))
                .hasSize(delivered.size())
                .allSatisfy(item -> {
                    assertThat(item.state()).isEqualTo(State.DONE);
                    assertThat(delivered).containsKey(item.id());
                });
    }

    private void checkEnd() throws IOException {
        assertThat(hive.filesIn("inbox")).isEmpty();
        assertThat(hive.filesIn("active")).isEmpty();
        List<RseEvent> events = new ArrayList<>();
        List<RseEntry> torn = hive.readLog(events);
        System.out.println(
                "full disk: %d envelopes, failures %s, %d lines of the log cut short"
                        .formatted(delivered.size(), failures, torn.size()));
        // A write that finds room for a part leaves a line that was cut short, and is told so. It
        // never runs into the next one.
        assertThat(torn)
                .allSatisfy(entry -> assertThat(((RseEntry.Bad) entry).excerpt()).startsWith("{"));
        for (String type :
                List.of("rsm_envelope_emit", "rsm_envelope_recv", "queen_select", "worker_ack")) {
            Set<String> untold = new TreeSet<>();
            delivered.keySet().forEach(id -> untold.add(id.text()));
            events.stream()
                    .filter(event -> event.type().equals(type))
                    .forEach(event -> {
                        untold.remove(event.data().optionalText("id").orElse(""));
                        untold.remove(event.data().optionalText("ref").orElse(""));
                    });
            assertThat(untold).as("without %s", type).isEmpty();
        }
    }
}
