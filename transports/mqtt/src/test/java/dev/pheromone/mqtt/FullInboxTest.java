package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.Lane;
import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A broker drops what it can't queue for a slow reader, and tells nobody. It keeps all mail
/// nevertheless, and we ask again.
final class FullInboxTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Names NAMES = new Names("full");
    private static final boolean LONG = Boolean.getBoolean("rsm.long");
    private static final int QUEUED_MAX = 500;
    private static final int BATCH = 20;
    private static final int BODY_BYTES = 20_000;

    /// Where Linux says how many bytes wait at most on their way out of a socket, after the least
    /// and the usual.
    private static final Path SENT_BYTES = Path.of("/proc/sys/net/ipv4/tcp_wmem");

    private static final long SENT_BYTES_USUAL_MAX = 4L << 20;

    /// How long a slow disk may take over what the broker writes down.
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir Path folder;

    private static MqttOptions options(String url) {
        return MqttOptions.of(url, "full").withPatience(PATIENCE);
    }

    private static Post mail(int number) {
        Envelope envelope =
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                "number " + number)
                        .ts(Instant.now())
                        .body("x".repeat(BODY_BYTES))
                        .seal();
        return Mail.post(NAMES, CODE, envelope, Instant.now(), "");
    }

    /// More than the broker queues, twice over; in the long form also more than the system holds
    /// between the broker and us.
    private static int count() throws IOException {
        long held = LONG ? sentBytesMax() / BODY_BYTES : 0;
        long batches = 2 * (QUEUED_MAX + held) / BATCH + 1;
        return Math.toIntExact(batches * BATCH);
    }

    private static long sentBytesMax() throws IOException {
        if (!Files.isReadable(SENT_BYTES)) {
            return SENT_BYTES_USUAL_MAX;
        }
        // In one go: who reads such a file byte by byte gets the first one only.
        try (BufferedReader lines = Files.newBufferedReader(SENT_BYTES)) {
            return Long.parseLong(lines.readLine().split("\\s+", -1)[2]);
        }
    }

    private static void fill(Link link, int count) throws IOException {
        for (int i = 0; i < count; i += BATCH) {
            Post[] posts = new Post[BATCH];
            for (int j = 0; j < BATCH; j++) {
                posts[j] = mail(i + j);
            }
            link.store(posts);
        }
    }

    /// What `reading` finds while its first answer is held up until the broker has nothing more to
    /// say.
    private static <T> T slowly(Wire wire, Link other, Callable<T> reading) throws Exception {
        wire.freezeLongAnswers();
        CompletableFuture<T> found =
                CompletableFuture.supplyAsync(() -> {
                    try {
                        return reading.call();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
        wire.awaitLongAnswer();
        other.store(Post.passing(NAMES.to("nobody"), new byte[0]));
        wire.thaw();
        return found.get(60, TimeUnit.SECONDS);
    }

    @Test
    @Timeout(120)
    void itIsReadWholeThoughTheBrokerDropsWhatItCanNotQueue() throws Exception {
        Mosquitto.refuseWithout("FullInboxTest");
        int count = count();
        try (Mosquitto broker =
                        Mosquitto.start(
                                folder,
                                Mosquitto.OPEN + "max_queued_messages " + QUEUED_MAX + "\n");
                Wire wire = new Wire(broker.port());
                Link near = new Link(options(broker.url()), NAMES, "");
                Link slow = new Link(options(wire.url()), NAMES, "")) {
            fill(near, count);
            Shelf.Found found;
            if (LONG) {
                List<String> all = List.of(NAMES.allMailOf(CODE));
                assertThat(slowly(wire, near, () -> slow.read(all, Link.Width.WIDE).size()))
                        .as("what comes in one go")
                        .isLessThan(count);
                found = slowly(wire, near, () -> new Shelf(slow, NAMES, CODE).mail());
            } else {
                found = new Shelf(slow, NAMES, CODE).mail();
            }
            assertThat(found.posts()).hasSize(count);
            assertThat(found.isWhole()).isTrue();
        }
    }
}
