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
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.lock.LockFiles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/// Senders and workers on one hive, in one process, by the library. Each confirmed step is a line
/// on the console, as `README.md` in this folder has them.
///
/// `PowerLoad HIVE` works until the power is cut.
final class PowerLoad {
    private static final int SENDER_COUNT = 3;
    private static final int WORKER_COUNT = 3;
    private static final List<Domain> INBOXES =
            List.of(Domain.parse("code"), Domain.parse("ops"), Domain.parse("docs"));

    private static final int BODY_BYTES_MAX = 40_000;
    private static final int USUAL_BODY_BYTES_MAX = 1_500;
    private static final int LINE_LENGTH = 70;
    private static final Duration SHORT_LEASE = Duration.ofSeconds(3);
    private static final Duration LONG_LEASE = Duration.ofSeconds(60);
    private static final Duration IDLE_PAUSE = Duration.ofMillis(20);
    private static final Duration PAUSE_AFTER_TROUBLE = Duration.ofMillis(200);

    private final FileTransport transport;
    private final Actor self;
    private final InstantSource clock;
    private int sent;

    private PowerLoad(FileTransport transport, Actor self, InstantSource clock) {
        this.transport = transport;
        this.self = self;
        this.clock = clock;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Path root = Path.of(arguments[0]);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < SENDER_COUNT; i++) {
            threads.add(start(root, "sender" + i, PowerLoad::sendOnce));
        }
        for (int i = 0; i < WORKER_COUNT; i++) {
            threads.add(start(root, "worker" + i, PowerLoad::workOnce));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /// One step of a sender or a worker.
    private interface Deed {
        void once(PowerLoad load) throws IOException, InterruptedException, NoSuchInboxException;
    }

    private static Thread start(Path root, String name, Deed deed) {
        return Thread.ofPlatform().name(name).start(() -> repeat(root, Actor.parse(name), deed));
    }

    private static void repeat(Path root, Actor self, Deed deed) {
        InstantSource clock = InstantSource.system();
        try {
            HiveLayout layout = HiveRoot.find(root);
            try (FileTransport transport =
                    FileTransport.open(
                            layout, new LockFiles(layout), self, clock, Secrets.none())) {
                var load = new PowerLoad(transport, self, clock);
                while (true) {
                    load.tryOnce(deed);
                }
            }
        } catch (Exception e) {
            say("X java " + self + " ended: " + e);
        }
    }

    private void tryOnce(Deed deed) throws InterruptedException {
        try {
            deed.once(this);
        } catch (IOException | NoSuchInboxException | RuntimeException e) {
            say("X java " + self + " " + e);
            Thread.sleep(PAUSE_AFTER_TROUBLE);
        }
    }

    private void sendOnce() throws IOException, NoSuchInboxException {
        Envelope envelope =
                Envelope.draft(self, someRecipients(), Lane.parse("Code"), "power " + sent++)
                        .ts(clock.instant())
                        .body(someBody())
                        .seal();
        Receipt receipt = transport.send(envelope);
        String confirmed =
                receipt.copies().stream()
                        .filter(copy -> copy.result() instanceof SendResult.Delivered)
                        .map(copy -> copy.inbox().toString())
                        .collect(Collectors.joining(","));
        if (!confirmed.isEmpty()) {
            say("S " + envelope.id() + " " + envelope.hash() + " " + confirmed + " java");
        }
    }

    /// One inbox, and now and then two.
    private static List<Address> someRecipients() {
        var random = ThreadLocalRandom.current();
        var inboxes = new ArrayList<>(INBOXES);
        Collections.shuffle(inboxes, random);
        int count = random.nextInt(8) == 0 ? 2 : 1;
        return inboxes.subList(0, count).stream()
                .map(domain -> Address.parse("queen://" + domain))
                .toList();
    }

    /// Mostly less than a block of the disk, and now and then ten blocks.
    private static byte[] someBody() {
        var random = ThreadLocalRandom.current();
        int bytesMax = random.nextInt(10) == 0 ? BODY_BYTES_MAX : USUAL_BODY_BYTES_MAX;
        byte[] body = new byte[random.nextInt(bytesMax)];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) (i % LINE_LENGTH == LINE_LENGTH - 1 ? '\n' : random.nextInt('a', 'z'));
        }
        return body;
    }

    private void workOnce() throws IOException, InterruptedException, NoSuchInboxException {
        var random = ThreadLocalRandom.current();
        Inbox inbox = transport.inbox(INBOXES.get(random.nextInt(INBOXES.size())));
        Lease lease = Lease.unattended(random.nextInt(3) == 0 ? SHORT_LEASE : LONG_LEASE);
        if (inbox.select(self, lease) instanceof Selection.Taken(Claim claim)) {
            say("C " + nameOf(claim, inbox));
            settle(claim, inbox);
        } else {
            Thread.sleep(IDLE_PAUSE);
        }
    }

    /// Mostly finishes; now and then fails, releases, or leaves the claim until its lease ends.
    private static void settle(Claim claim, Inbox inbox) throws IOException {
        Outcome outcome =
                switch (ThreadLocalRandom.current().nextInt(20)) {
                    case 0 -> null;
                    case 1 -> new Outcome.Failed("by chance");
                    case 2 -> new Outcome.Released("by chance");
                    default -> new Outcome.Done("ok");
                };
        if (outcome != null
                && inbox.settle(claim.token(), outcome)
                        instanceof
                        Settlement.Settled(State state, Settlement.Confirmation confirmation)
                && state == State.DONE
                && confirmation == Settlement.Confirmation.ON_DISK) {
            say("D " + nameOf(claim, inbox));
        }
    }

    private static String nameOf(Claim claim, Inbox inbox) {
        String attempt = claim.token().toString().split("\\.")[1];
        return claim.envelope().id() + " " + inbox.domain() + " " + attempt + " java";
    }

    /// Writes one line by one call, so that lines of several processes do not mix.
    private static synchronized void say(String line) {
        byte[] bytes = (line.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        System.out.flush();
    }
}
