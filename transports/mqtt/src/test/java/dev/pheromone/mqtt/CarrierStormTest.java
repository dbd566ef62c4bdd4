package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.Carrier;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.testkit.KillableServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Sender, receiver and broker are killed in turn while mail is sent: what was said to be delivered
/// is there, once. `-Drsm.long=true` makes it long.
@Timeout(1800)
@ParameterizedClass
@MethodSource("brokers")
final class CarrierStormTest {

    private static final boolean LONG = Boolean.getBoolean("rsm.long");
    private static final int COUNT = LONG ? 10_000 : 120;
    private static final int KILLS = LONG ? 10 : 1;
    private static final Duration PATIENCE = LONG ? Duration.ofMinutes(25) : Duration.ofMinutes(2);

    @TempDir static Path brokerFolder;
    private static KillableServer broker;

    @TempDir Path folder;
    @Parameter Broker kind;

    static List<Broker> brokers() {
        return Broker.inThisForm();
    }

    @BeforeParameterizedClassInvocation
    static void startBroker(Broker kind) throws IOException {
        broker = kind.start(brokerFolder.resolve(kind.name()));
    }

    @AfterParameterizedClassInvocation
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    /// A process that can be killed, and replaced.
    private final class Victim implements AutoCloseable {
        private final Path output;
        private final List<String> command;
        private Process process;

        Victim(Class<?> main, String... arguments) throws IOException {
            output = folder.resolve(main.getSimpleName() + ".out");
            command =
                    new ArrayList<>(
                            List.of(
                                    ProcessHandle.current().info().command().orElseThrow(),
                                    "-XX:TieredStopAtLevel=1",
                                    "-XX:+UseSerialGC",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    main.getName()));
            command.addAll(List.of(arguments));
            process = start();
        }

        private Process start() throws IOException {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
        }

        void replace() throws IOException {
            kill();
            process = start();
        }

        /// Complete lines only: the last one may be torn by a kill.
        List<String> lines() throws IOException {
            String text = Files.readString(output);
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        }

        void kill() {
            process.destroyForcibly();
            try {
                assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            kill();
        }
    }

    private static List<String> ids(Victim sender) throws IOException {
        return sender.lines().stream().filter(line -> line.matches("[0-9A-Z]{26}")).toList();
    }

    private static void awaitIds(Victim sender, Victim receiver, int count) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (ids(sender).size() < count) {
            assertThat(System.nanoTime())
                    .as("delivered: %d, the receiver says %s", count, receiver.lines())
                    .isLessThan(end);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    @Test
    void whatAReceiverHadStoredWhenItDiedArrivesAgainAndHasOneEffect() throws Exception {
        Path mail = Files.createDirectory(folder.resolve("mail"));
        try (MqttCarrier carrier =
                MqttCarrier.open(
                        MqttOptions.of(Broker.url(broker), "dies"), InstantSource.system())) {
            String[] arguments = {Broker.url(broker), "dies", mail.toString(), "dies"};
            Envelope envelope =
                    Envelope.draft(
                                    Actor.parse("ada"),
                                    List.of(Domain.parse("code").address()),
                                    Lane.CODE,
                                    "once")
                            .ts(Instant.now())
                            .seal();
            try (Victim dying = new Victim(ReceiverMain.class, arguments)) {
                await().atMost(PATIENCE).until(() -> !carrier.domains().isEmpty());
                // Some brokers know a moment later who has subscribed than the subscriber does.
                await().atMost(PATIENCE)
                        .until(() ->
                                carrier.send(envelope).copies().getFirst().result()
                                                instanceof SendResult.Unanswered(var at, var _)
                                        && at == SendResult.Place.BROKER);
                assertThat(dying.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            }
            try (Victim _ =
                    new Victim(
                            ReceiverMain.class, Arrays.copyOf(arguments, arguments.length - 1))) {
                await().atMost(PATIENCE)
                        .until(() ->
                                carrier.send(envelope).copies().getFirst().result()
                                        instanceof SendResult.Duplicate);
            }
            assertThat(Files.readAllLines(mail.resolve("effects")))
                    .containsExactly(envelope.id().text());
        }
    }

    @Test
    void aProcessEndsByItselfWhenItsReceptionIsOver() throws Exception {
        MqttOptions options =
                MqttOptions.of(Broker.url(broker), "ends")
                        .withJoining(MqttOptions.Joining.TAKES_OVER);
        try (MqttCarrier carrier = MqttCarrier.open(options, InstantSource.system());
                Victim receiver =
                        new Victim(
                                ReceiverMain.class,
                                Broker.url(broker),
                                "ends",
                                folder.toString())) {
            await().atMost(PATIENCE).until(() -> !carrier.domains().isEmpty());
            try (Carrier.Reception _ =
                    carrier.recv(
                            Actor.parse("next"),
                            List.of(Domain.parse("code")),
                            (_, _) -> new SendResult.Delivered("nowhere"))) {
                assertThat(receiver.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as("the process says %s", receiver.lines())
                        .isTrue();
            }
            assertThat(receiver.process.exitValue()).isZero();
        }
    }

    @Test
    void whatWasDeliveredIsThereOnceWhoeverIsKilled() throws Exception {
        Path mail = Files.createDirectory(folder.resolve("mail"));
        try (Victim receiver =
                        new Victim(
                                ReceiverMain.class, Broker.url(broker), "storm", mail.toString());
                Victim sender = new Victim(SenderMain.class, Broker.url(broker), "storm")) {
            int rounds = 3 * KILLS;
            for (int round = 0; round < rounds; round++) {
                awaitIds(sender, receiver, COUNT * (round + 1) / (rounds + 1));
                switch (round % 3) {
                    case 0 -> receiver.replace();
                    case 1 -> {
                        broker.kill();
                        broker.restart();
                    }
                    default -> sender.replace();
                }
            }
            awaitIds(sender, receiver, COUNT);
            sender.kill();
            List<String> delivered = ids(sender);
            List<String> effects = Files.readAllLines(mail.resolve("effects"));
            long lost = delivered.stream().filter(id -> !Files.exists(mail.resolve(id))).count();
            int doubled = effects.size() - Set.copyOf(effects).size();
            System.out.printf(
                    "storm on %s: %d kills each of receiver, broker and sender;"
                            + " %d called delivered, %d lost, %d effects, %d doubled%n",
                    kind, KILLS, delivered.size(), lost, effects.size(), doubled);
            assertThat(delivered).hasSizeGreaterThanOrEqualTo(COUNT).doesNotHaveDuplicates();
            assertThat(lost).isZero();
            assertThat(doubled).isZero();
            for (String id : delivered) {
                Envelope stored = Envelope.parse(Files.readAllBytes(mail.resolve(id)));
                assertThat(stored.id().text()).isEqualTo(id);
            }
        }
    }
}
