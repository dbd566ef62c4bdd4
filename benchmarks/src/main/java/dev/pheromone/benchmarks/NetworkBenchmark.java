package dev.pheromone.benchmarks;

import dev.pheromone.Carrier;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.mqtt.MqttCarrier;
import dev.pheromone.mqtt.MqttOptions;
import dev.pheromone.nats.NatsOptions;
import dev.pheromone.nats.NatsTransport;
import dev.pheromone.trust.TrustList;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// Each transport beside the bare client library on the same server.
final class NetworkBenchmark implements Benchmark {

    private static final int ROUNDS = 40;
    private static final int WARM_UPS = 60;

    /// Where a trip takes less than a millisecond, so many are still being compiled.
    private static final int WARM_UPS_FAST = 400;

    private static final int MESSAGES_A_ROUND = 16;
    private static final double GOAL = 0.6;

    /// What is only accepted by a broker is kept by its sender: little is to be done beside.
    private static final double GOAL_ACCEPTED = 0.8;

    private static final String MOSQUITTO = "mosquitto";
    private static final String NATS = "nats-server";

    private final SampleMail mail = new SampleMail();

    @Override
    public String name() {
        return "network";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        List<Row> rows = new ArrayList<>();
        rows.addAll(http(setting));
        rows.addAll(
                Programs.isInstalled(NATS)
                        ? nats(setting)
                        : List.of(new Row.NotMeasured(name(), "no " + NATS + " on the PATH")));
        rows.addAll(
                Programs.isInstalled(MOSQUITTO)
                        ? mqtt(setting)
                        : List.of(new Row.NotMeasured(name(), "no " + MOSQUITTO + " on the PATH")));
        return rows;
    }

    private List<Row> http(Setting setting) throws Exception {
        HiveLayout hive = setting.scratch().freshHive("http", SampleMail.INBOX);
        Path secret = setting.scratch().fresh("token").resolve("token");
        Files.writeString(secret, "0123456789abcdef0123456789abcdef");
        secret.toFile().setReadable(false, false);
        secret.toFile().setReadable(true, true);
        int port = LocalServer.freePort();
        URI url = URI.create("http://127.0.0.1:" + port);
        try (LocalServer _ =
                        LocalServer.start(
                                List.of(
                                        setting.launcher().toString(),
                                        "serve",
                                        "--bind",
                                        "127.0.0.1:" + port,
                                        "--token-file",
                                        secret.toString()),
                                hive.root(),
                                port);
                HttpTransport transport =
                        new HttpTransport(HttpOptions.of(url).withToken(Files.readString(secret)));
                BareHttp bare = new BareHttp(url, Files.readString(secret))) {
            return beside(
                    setting, "http", transport, "the JDK's client, same requests", bare, WARM_UPS);
        }
    }

    private List<Row> nats(Setting setting) throws Exception {
        Path folder = setting.scratch().fresh("nats");
        int port = LocalServer.freePort();
        String url = "nats://127.0.0.1:" + port;
        NatsOptions options =
                NatsOptions.of(url, "benchmark")
                        .withInboxes(List.of(SampleMail.INBOX))
                        .withConfig(HiveConfig.defaults(), TrustList.empty());
        try (LocalServer _ =
                        LocalServer.start(
                                List.of(
                                        NATS,
                                        "-js",
                                        "-sd",
                                        folder.toString(),
                                        "-a",
                                        "127.0.0.1",
                                        "-p",
                                        Integer.toString(port)),
                                folder,
                                port);
                NatsTransport transport = NatsTransport.open(options, InstantSource.system());
                BareNats bare = new BareNats(url)) {
            return beside(
                    setting,
                    "nats",
                    transport,
                    "bare client: publish, fetch, ack",
                    bare,
                    WARM_UPS_FAST);
        }
    }

    /// Both sides keep their connections, and have a receiver all the time. Mail that the broker
    /// only has to accept is kept by its sender alone, and both sides send it to the same receiver,
    /// who answers nothing. Mail that is to be answered is kept by its receiver: ours in a hive,
    /// with all that a hive forces.
    private List<Row> mqtt(Setting setting) throws Exception {
        Path folder = setting.scratch().fresh("mqtt");
        int port = LocalServer.freePort();
        Path config =
                Files.writeString(
                        folder.resolve("mosquitto.conf"),
                        """
                        listener %d 127.0.0.1
                        allow_anonymous true
                        user root
                        log_dest none
                        persistence true
                        persistence_location %s/
                        set_tcp_nodelay true
                        """
                                .formatted(port, folder));
        String url = "mqtt://127.0.0.1:" + port;
        MqttOptions options = MqttOptions.of(url, "answered");
        MqttOptions hasty = MqttOptions.of(url, "accepted").withReceiptWait(Duration.ZERO);
        HiveLayout here = setting.scratch().freshHive("sender", SampleMail.INBOX);
        HiveLayout there = setting.scratch().freshHive("receiver", SampleMail.INBOX);
        try (LocalServer _ =
                        LocalServer.start(
                                List.of(MOSQUITTO, "-c", config.toString()), folder, port);
                FileTransport sender = Scratch.open(here);
                FileTransport receiver = Scratch.open(there);
                MqttCarrier storing = MqttCarrier.open(options, InstantSource.system());
                MqttCarrier accepted = MqttCarrier.open(hasty, InstantSource.system());
                MqttCarrier answered = MqttCarrier.open(options, InstantSource.system());
                Carrier.Reception _ =
                        storing.recv(
                                Actor.parse("receiver"),
                                List.of(SampleMail.INBOX),
                                (envelope, inbox) -> result(receiver.send(envelope, inbox)));
                BareMqtt bare =
                        new BareMqtt(
                                port,
                                setting.scratch().fresh("bare"),
                                "rsm/accepted/inbox/" + SampleMail.INBOX)) {
            Outbox outbox = sender.remote().outbox("broker");
            return List.of(
                    new Row.Measured(
                            name(),
                            "mqtt: send accepted by the broker",
                            "bare client: force one file, publish",
                            duel(
                                    setting,
                                    envelope -> result(outbox.send(envelope, accepted)),
                                    bare::send),
                            Goal.speedAtLeast(GOAL_ACCEPTED)),
                    new Row.Measured(
                            name(),
                            "mqtt: sent, stored, receipt",
                            "bare clients: request, force one file, response",
                            duel(setting, envelope -> result(answered.send(envelope)), bare::trip),
                            Goal.speedAtLeast(GOAL)));
        }
    }

    private static SendResult result(Receipt receipt) {
        return receipt.copies().getFirst().result();
    }

    /// Sends one envelope.
    private interface Sending {
        SendResult send(Envelope envelope) throws Exception;
    }

    /// What a bare client does with messages; returns the nanoseconds that one took.
    private interface BareSending {
        double send(List<byte[]> messages) throws Exception;
    }

    private Duel duel(Setting setting, Sending ours, BareSending bare) throws Exception {
        return Duel.run(
                setting.effort().rounds(WARM_UPS_FAST),
                setting.effort().rounds(ROUNDS),
                () -> {
                    List<Envelope> envelopes = envelopes();
                    long began = System.nanoTime();
                    for (Envelope envelope : envelopes) {
                        SendResult result = ours.send(envelope);
                        if (!(result instanceof SendResult.Delivered)
                                && !(result instanceof SendResult.Spooled)) {
                            throw new IllegalStateException("not sent: " + result);
                        }
                    }
                    return (double) (System.nanoTime() - began) / envelopes.size();
                },
                () -> bare.send(messages()));
    }

    private List<Row> beside(
            Setting setting,
            String what,
            Transport transport,
            String against,
            Peer bare,
            int warmUps)
            throws Exception {
        Inbox inbox = transport.inbox(SampleMail.INBOX);
        // Trips first: what is only sent stays, and would be taken by them.
        Duel trip =
                Duel.run(
                        setting.effort().rounds(warmUps),
                        setting.effort().rounds(ROUNDS),
                        () -> OurSide.trip(transport, inbox, envelopes()),
                        () -> bare.trip(messages()));
        Duel send =
                Duel.run(
                        setting.effort().rounds(warmUps),
                        setting.effort().rounds(ROUNDS),
                        () -> OurSide.send(transport, envelopes()),
                        () -> bare.send(messages()));
        return List.of(
                new Row.Measured(name(), what + ": send", against, send, Goal.speedAtLeast(GOAL)),
                new Row.Measured(
                        name(),
                        what + ": sent, selected, done",
                        against,
                        trip,
                        Goal.speedAtLeast(GOAL)));
    }

    private List<Envelope> envelopes() {
        return mail.next(MESSAGES_A_ROUND, Duration.ZERO);
    }

    private List<byte[]> messages() {
        return envelopes().stream().map(Envelope::bytes).toList();
    }
}
