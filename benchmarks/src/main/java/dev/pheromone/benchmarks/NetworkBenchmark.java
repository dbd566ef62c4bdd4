package dev.pheromone.benchmarks;

import dev.pheromone.Envelope;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Transport;
import dev.pheromone.TrustList;
import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.file.HiveLayout;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.nats.NatsOptions;
import dev.pheromone.nats.NatsTransport;

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
