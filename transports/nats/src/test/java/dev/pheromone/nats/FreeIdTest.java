package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Ended;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.NatsServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// An id that its mail leaves free while others send under it and read: a sender who is told
/// "conflict" has mail that nobody is handed, and a sender who is told otherwise has mail that
/// somebody is. Senders and readers are stopped before each single message to the server, and
/// whatever else may happen happens then.
@Timeout(600)
final class FreeIdTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("claude-7f3a");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(1));
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    /// No sender and no reader asks the server more often than this for one copy.
    private static final int STEPS_MAX = 60;

    /// How often minutes pass until no mail is left: a lease ends, and then a pause.
    private static final int ROUNDS_MAX = 10;

    private static final boolean LONG = Boolean.getBoolean("rsm.long");
    private static final int MEETINGS = LONG ? 500 : 15;

    /// How many messages a sender or a reader sends at most before one that may matter.
    private static final int SENDER_STEPS = 12;

    private static final int READER_STEPS = 20;

    @TempDir static Path folder;
    private static NatsServer server;
    private static int hives;

    private final FakeClock clock = new FakeClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));
    private SteppedClient senderSteps;
    private SteppedClient readerSteps;
    private NatsTransport sender;
    private NatsTransport reader;
    private NatsTransport others;

    @BeforeAll
    static void startServer() throws IOException {
        NatsServer.refuseWithout("FreeIdTest");
        server = NatsServer.start(folder);
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        hives++;
        others = NatsTransport.open(options(server.url()), clock);
        senderSteps = new SteppedClient(server.url());
        readerSteps = new SteppedClient(server.url());
        senderSteps.goOn();
        readerSteps.goOn();
        sender = NatsTransport.open(options(senderSteps.url()), clock);
        reader = NatsTransport.open(options(readerSteps.url()), clock);
    }

    @AfterEach
    void close() throws IOException {
        sender.close();
        reader.close();
        others.close();
        senderSteps.close();
        readerSteps.close();
    }

    private static NatsOptions options(String url) {
        return NatsOptions.of(url, "hive" + hives)
                .withInboxes(List.of(CODE))
                .withWaits(Duration.ofSeconds(20), LOOK_AGAIN);
    }

    /// What happens while a sender or a reader is stopped.
    enum Meanwhile {
        NOTHING {
            @Override
            void happens(Scene scene) {}
        },
        SOMEBODY_TAKES {
            @Override
            void happens(Scene scene) throws Exception {
                scene.take();
            }
        },
        SOMEBODY_TAKES_AND_FINISHES {
            @Override
            void happens(Scene scene) throws Exception {
                scene.finish(scene.take());
            }
        },
        SOMEBODY_TAKES_AND_FAILS {
            @Override
            void happens(Scene scene) throws Exception {
                scene.fail(scene.take());
            }
        },
        OTHER_MAIL_IS_SENT {
            @Override
            void happens(Scene scene) throws Exception {
                scene.send(scene.second);
            }
        },
        OTHER_MAIL_OF_ANOTHER_CLASS_IS_SENT {
            @Override
            void happens(Scene scene) throws Exception {
                scene.send(scene.urgent);
            }
        },
        OTHER_MAIL_IS_SENT_AND_TAKEN {
            @Override
            void happens(Scene scene) throws Exception {
                scene.send(scene.second);
                scene.take();
            }
        },
        SOMEBODY_TAKES_AND_OTHER_MAIL_IS_SENT {
            @Override
            void happens(Scene scene) throws Exception {
                scene.take();
                scene.send(scene.second);
            }
        },
        OTHER_MAIL_IS_SENT_AND_EXPIRES {
            @Override
            void happens(Scene scene) throws Exception {
                scene.send(scene.second);
                scene.minutesPass();
                scene.take();
            }
        },
        THE_SAME_MAIL_IS_SENT {
            @Override
            void happens(Scene scene) throws Exception {
                scene.send(scene.first);
            }
        },
        THE_SAME_MAIL_IS_SENT_AND_TAKEN {
            @Override
            void happens(Scene scene) throws Exception {
                scene.send(scene.first);
                scene.take();
            }
        },
        THE_OLD_MAIL_IS_SENT {
            @Override
            void happens(Scene scene) throws Exception {
                scene.send(scene.old);
            }
        },
        THE_OLD_MAIL_IS_SENT_AND_EXPIRES {
            @Override
            void happens(Scene scene) throws Exception {
                scene.send(scene.old);
                scene.minutesPass();
                scene.take();
            }
        },
        WHATEVER_IS_OLD_EXPIRES {
            @Override
            void happens(Scene scene) throws Exception {
                scene.minutesPass();
                scene.take();
            }
        };

        abstract void happens(Scene scene) throws Exception;
    }

    /// One id, all that is sent under it, and what became of that.
    private final class Scene {

        private final EnvelopeId id = EnvelopeId.random(clock.instant());
        private final Envelope old = mail("old", "1m", Priority.P2);
        private final Envelope first = mail("first", "1h", Priority.P2);
        private final Envelope second = mail("second", "1m", Priority.P2);
        private final Envelope urgent = mail("urgent", "1h", Priority.P0);
        private final Map<Envelope, List<SendResult>> told = new LinkedHashMap<>();
        private final List<Envelope> handedOut = new ArrayList<>();

        private Envelope mail(String topic, String ttl, Priority priority) {
            return Envelope.draft(
                            Actor.parse("ada"),
                            List.of(Address.parse("queen://code")),
                            Lane.CODE,
                            topic)
                    .id(id)
                    .ts(clock.instant())
                    .ttl(Ttl.parse(ttl))
                    .priority(priority)
                    .body(topic + "\n")
                    .seal();
        }

        void send(Envelope envelope) throws Exception {
            told(envelope, result(others, envelope));
        }

        void told(Envelope envelope, SendResult result) {
            told.computeIfAbsent(envelope, _ -> new ArrayList<>()).add(result);
        }

        List<Claim> take() throws Exception {
            return handedOut(others.inbox(CODE).select(WORKER, LEASE));
        }

        List<Claim> handedOut(Selection selection) {
            if (!(selection instanceof Selection.Taken(var claim))) {
                return List.of();
            }
            assertThat(claim.envelope().id()).isEqualTo(id);
            handedOut.add(claim.envelope());
            return List.of(claim);
        }

        void finish(List<Claim> claims) throws Exception {
            for (Claim claim : claims) {
                var _ = others.inbox(CODE).settle(claim.token(), new Outcome.Done(""));
            }
        }

        void fail(List<Claim> claims) throws Exception {
            for (Claim claim : claims) {
                var _ = others.inbox(CODE).settle(claim.token(), new Outcome.Failed("no"));
            }
        }

        void minutesPass() {
            clock.advance(Duration.ofMinutes(2));
        }

        /// Hands out whatever is left, and looks whether everybody was told the truth. Mail that
        /// failed, or whose lease has ended, comes again.
        void isTrue() throws Exception {
            for (int round = 0; depth() > 0; round++) {
                assertThat(round).as("looks until nothing waits").isLessThan(ROUNDS_MAX);
                if (round > 0) {
                    minutesPass();
                }
                List<Claim> claims = take();
                while (!claims.isEmpty()) {
                    finish(claims);
                    claims = take();
                }
            }
            List<Ended> ended = others.ended(100).orElseThrow();
            told.forEach((envelope, results) -> {
                boolean isAccepted =
                        results.stream().anyMatch(r -> !(r instanceof SendResult.Conflict));
                boolean isHandedOut = handedOut.contains(envelope);
                boolean isExpired = isArchived(ended, envelope, State.EXPIRED);
                assertThat(isHandedOut || isExpired)
                        .as("%s was told %s and arrived", envelope.topic(), results)
                        .isEqualTo(isAccepted);
                assertThat(isAccepted && isArchived(ended, envelope, State.CONFLICT))
                        .as("%s was told %s and is kept as a conflict", envelope.topic(), results)
                        .isFalse();
            });
            assertThat(told.values().stream().flatMap(List::stream).toList())
                    .hasAtLeastOneElementOfType(SendResult.Delivered.class);
            assertThat(others.stateOf(id, CODE)).hasValueSatisfying(s -> s.isFinal());
        }

        private boolean isArchived(List<Ended> ended, Envelope envelope, State state) {
            return ended.stream()
                    .anyMatch(e ->
                            e.header().id().equals(id)
                                    && e.header().topic().equals(envelope.topic())
                                    && e.state() == state);
        }
    }

    private static SendResult result(Transport transport, Envelope envelope) {
        try {
            return transport.send(envelope).copies().getFirst().result();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Scene freeId() throws Exception {
        Scene scene = usedId();
        scene.minutesPass();
        assertThat(scene.take()).isEmpty();
        return scene;
    }

    private Scene usedId() throws Exception {
        Scene scene = new Scene();
        scene.send(scene.old);
        return scene;
    }

    /// All in the long form; in the short one those that differ most from each other.
    static Set<Meanwhile> whileAnIdIsFree() {
        return LONG
                ? EnumSet.allOf(Meanwhile.class)
                : EnumSet.of(
                        Meanwhile.SOMEBODY_TAKES,
                        Meanwhile.OTHER_MAIL_OF_ANOTHER_CLASS_IS_SENT,
                        Meanwhile.OTHER_MAIL_IS_SENT_AND_EXPIRES,
                        Meanwhile.THE_SAME_MAIL_IS_SENT_AND_TAKEN);
    }

    /// As [#whileAnIdIsFree].
    static Set<Meanwhile> whileAnIdIsInUse() {
        return LONG
                ? EnumSet.allOf(Meanwhile.class)
                : EnumSet.of(
                        Meanwhile.SOMEBODY_TAKES_AND_FINISHES, Meanwhile.WHATEVER_IS_OLD_EXPIRES);
    }

    @ParameterizedTest
    @MethodSource("whileAnIdIsFree")
    void aSenderUnderAFreeIdIsToldTheTruthWhateverHappensBetweenItsSteps(Meanwhile meanwhile)
            throws Exception {
        int step = 0;
        while (sendAndStop(freeId(), step, meanwhile)) {
            step++;
            assertThat(step).isLessThan(STEPS_MAX);
        }
    }

    @ParameterizedTest
    @MethodSource("whileAnIdIsInUse")
    void aSenderUnderAnIdInUseIsToldTheTruthWhateverHappensBetweenItsSteps(Meanwhile meanwhile)
            throws Exception {
        int step = 0;
        while (sendAndStop(usedId(), step, meanwhile)) {
            step++;
            assertThat(step).isLessThan(STEPS_MAX);
        }
    }

    private boolean sendAndStop(Scene scene, int step, Meanwhile meanwhile) throws Exception {
        senderSteps.stopAfter(step);
        CompletableFuture<SendResult> sending =
                CompletableFuture.supplyAsync(
                        () -> result(sender, scene.first), Thread::startVirtualThread);
        boolean isStopped = senderSteps.awaitStop(sending);
        meanwhile.happens(scene);
        senderSteps.goOn();
        scene.told(scene.first, sending.get(60, TimeUnit.SECONDS));
        checked(scene, "sender after " + step);
        return isStopped;
    }

    private long depth() throws Exception {
        try (ReconnectingConnection connection =
                new ReconnectingConnection(options(server.url()))) {
            return connection
                    .ask(() -> connection.management().getStreamInfo("hive" + hives + "-mail"))
                    .getStreamState()
                    .getMsgCount();
        }
    }

    /// A sender and a reader are both stopped, what happens meanwhile happens, and both go on.
    private void meet(Scene scene, int sent, int read, Meanwhile meanwhile) throws Exception {
        senderSteps.stopAfter(sent);
        CompletableFuture<SendResult> sending =
                CompletableFuture.supplyAsync(
                        () -> result(sender, scene.first), Thread::startVirtualThread);
        boolean _ = senderSteps.awaitStop(sending);
        readerSteps.stopAfter(read);
        CompletableFuture<Selection> reading =
                CompletableFuture.supplyAsync(this::selection, Thread::startVirtualThread);
        boolean _ = readerSteps.awaitStop(reading);
        meanwhile.happens(scene);
        boolean isReaderFirst = (sent + read) % 2 == 0;
        if (isReaderFirst) {
            readerSteps.goOn();
            var _ = reading.get(60, TimeUnit.SECONDS);
        }
        senderSteps.goOn();
        scene.told(scene.first, sending.get(60, TimeUnit.SECONDS));
        readerSteps.goOn();
        scene.finish(scene.handedOut(reading.get(60, TimeUnit.SECONDS)));
        checked(scene, meanwhile + ", reader after " + read + ", sender after " + sent);
    }

    private Selection selection() {
        try {
            return reader.inbox(CODE).select(WORKER, LEASE);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// All pairs of steps take minutes, so that a short run tries some of them.
    @Test
    void aSenderAndAReaderWhoMeetAtAnyStepAreToldTheTruth() throws Exception {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < MEETINGS; i++) {
            Meanwhile meanwhile = Meanwhile.values()[random.nextInt(Meanwhile.values().length)];
            Scene scene = random.nextBoolean() ? freeId() : usedId();
            int sent = random.nextInt(SENDER_STEPS);
            int read = random.nextInt(READER_STEPS);
            try {
                meet(scene, sent, read, meanwhile);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static void checked(Scene scene, String where) throws Exception {
        try {
            scene.isTrue();
        } catch (AssertionError e) {
            throw new AssertionError(where + " messages: " + e.getMessage(), e);
        }
    }
}
