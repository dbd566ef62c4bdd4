package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Commands that ask the event log, start to end: with a long log beside a short one, and those
/// that read all of it beside `grep` over the same bytes.
///
/// Both logs end now and have as many events an hour, those of thirty agents; they differ in when
/// they begin. The mail that the log tells of is of an inbox that is not there, but for one copy.
final class LogBenchmark implements Benchmark {

    private static final int ROUNDS = 20;
    private static final int WARM_UPS = 2;
    private static final int SHORT_EVENTS = 10_000;
    private static final int LONG_EVENTS = 1_000_000;
    private static final double EVENTS_AN_HOUR = 540;
    private static final int EVENTS_A_MAIL = 8;

    /// A heap that is enough for those that read everything.
    private static final String HEAP = "-Xmx128m";

    @Override
    public String name() {
        return "log";
    }

    private record Side(Path root, String id) {}

    @Override
    public List<Row> run(Setting setting) throws Exception {
        String rsm = setting.launcher().toString();
        Side few = hive(setting, SHORT_EVENTS);
        Side many = hive(setting, LONG_EVENTS);
        List<Row> rows = new ArrayList<>();
        for (List<String> words :
                List.of(
                        List.of("send", "--to", SampleMail.INBOX.name(), "please look"),
                        List.of("select", SampleMail.INBOX.name()),
                        List.of("ack"),
                        List.of("status"),
                        List.of("sense"),
                        List.of("trace"),
                        List.of("log", "--since", "1h"),
                        List.of("slo", "--since", "1h"))) {
            Duel duel =
                    Duel.run(
                            WARM_UPS,
                            setting.effort().rounds(ROUNDS),
                            () -> time(many.root(), command(rsm, words, many)),
                            () -> time(few.root(), command(rsm, words, few)));
            rows.add(
                    new Row.Measured(
                            name(),
                            "./rsm " + String.join(" ", words) + ", a million events",
                            "ten thousand events",
                            duel,
                            Goal.timeAtMost(1.5)));
        }
        if (!Programs.isInstalled("grep")) {
            rows.add(new Row.NotMeasured(name(), "grep is not on the PATH"));
            return rows;
        }
        String log = new HiveLayout(many.root()).log().toString();
        for (List<String> words : List.of(List.of("search", "quicksilver"), List.of("audit"))) {
            Duel duel =
                    Duel.run(
                            1,
                            setting.effort().rounds(ROUNDS / 4),
                            () -> time(many.root(), command(rsm, words, many)),
                            () -> time(many.root(), List.of("grep", "-ci", "quicksilver", log)));
            rows.add(
                    new Row.Measured(
                            name(),
                            "./rsm " + String.join(" ", words) + ", a million events, " + HEAP,
                            "grep -ci over the same log",
                            duel,
                            Goal.timeAtMost(5)));
        }
        return rows;
    }

    private static List<String> command(String rsm, List<String> words, Side side)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(rsm));
        command.addAll(words);
        if (words.getFirst().equals("trace")) {
            command.add(side.id());
        } else if (words.getFirst().equals("ack")) {
            command.addAll(List.of(anyClaim(side), "done"));
        }
        return command;
    }

    /// A claim that an earlier command made, and none has finished yet.
    private static String anyClaim(Side side) throws IOException {
        Path active = new HiveLayout(side.root()).active(SampleMail.INBOX);
        try (DirectoryStream<Path> claims = Files.newDirectoryStream(active, "*.md")) {
            String name = String.valueOf(claims.iterator().next().getFileName());
            return name.substring(0, name.length() - HiveLayout.MAIL_SUFFIX.length());
        }
    }

    /// A hive with a log of so many events, and one copy that waits.
    private static Side hive(Setting setting, int events) throws Exception {
        HiveLayout layout = setting.scratch().freshHive("log-" + events, SampleMail.INBOX);
        Instant now = Instant.now();
        Files.createDirectories(layout.telemetry());
        try (OutputStream log = new BufferedOutputStream(Files.newOutputStream(layout.log()))) {
            for (int i = events / EVENTS_A_MAIL; i > 0; i--) {
                double hours = i * EVENTS_A_MAIL / EVENTS_AN_HOUR;
                log.write(life(i, now.minusMillis((long) (hours * 3_600_000))));
            }
        }
        Envelope envelope = new SampleMail().next(Duration.ofMinutes(5));
        try (var transport = Scratch.open(layout)) {
            var _ = transport.send(envelope);
        }
        return new Side(layout.root(), envelope.id().text());
    }

    /// The events of one envelope, from sent to done, and now and then a signal.
    private static byte[] life(int number, Instant sent) {
        String id = "01M7QV1NFQSQK5WES6B%07d".formatted(number);
        String hash = "sha256:" + "%064x".formatted(number);
        Instant taken = sent.plusSeconds(number % 300);
        Instant done = taken.plusSeconds(number % 600);
        String mail = ",\"inbox\":\"elsewhere\",\"attempt\":1,\"consent\":\"team\"}}\n";
        StringBuilder lines = new StringBuilder();
        line(lines, sent, "pheromone_drop", number, "\"topic\":\"please review the parser\",");
        lines.append("\"priority\":\"P2\",\"ref\":\"" + id + "\",\"ttl\":\"1d\"}}\n");
        line(lines, sent, "rsm_envelope_emit", number, "\"id\":\"" + id + "\",");
        lines.append("\"to\":[\"queen://elsewhere\"],\"priority\":\"P2\",\"ttl\":\"1d\",");
        lines.append("\"path\":\".deia/inbox/elsewhere/" + id + ".md\",");
        lines.append("\"hash\":\"" + hash + "\"" + mail);
        line(lines, taken, "pheromone_sense", number, "\"ref\":\"" + id + "\"" + mail);
        line(lines, taken, "rsm_envelope_recv", number, "\"id\":\"" + id + "\",");
        lines.append("\"from\":\"agent-7\",\"hash\":\"" + hash + "\"" + mail);
        line(lines, taken, "queen_select", number, "\"basis\":\"inbox\",\"id\":\"" + id + "\",");
        lines.append("\"rationale\":\"P2, age 0s of 1d, w 2.0, first of 2\"" + mail);
        line(
                lines,
                taken,
                "worker_spawn",
                number,
                "\"name\":\"bee\",\"ref\":\"" + id + "\"" + mail);
        line(lines, done, "worker_ack", number, "\"ref\":\"" + id + "\",");
        lines.append("\"status\":\"accepted\"" + mail);
        line(lines, done, "worker_ack", number, "\"ref\":\"" + id + "\",");
        lines.append("\"status\":\"done\",\"note\":\"the parser is fine now\"" + mail);
        if (number % 100 == 0) {
            line(lines, done, "pheromone_drop", number, "\"topic\":\"main is red\",");
            lines.append("\"priority\":\"P1\",\"ttl\":\"10m\"}}\n");
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void line(
            StringBuilder lines, Instant ts, String type, int number, String data) {
        lines.append("{\"ts\":\"" + ts + "\",\"type\":\"" + type + "\",\"lane\":\"Code\",");
        lines.append("\"actor\":\"agent-" + number % 30 + "\",\"data\":{" + data);
    }

    /// The time from starting the process to its end. That an audit or a measure finds something
    /// amiss, and that `grep` finds nothing, is no error here.
    private static double time(Path folder, List<String> command)
            throws IOException, InterruptedException {
        Path errors = folder.resolve("stderr");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(folder.resolve("stdout").toFile())
                        .redirectError(errors.toFile());
        builder.environment().put("RSM_JAVA_OPTS", HEAP);
        long began = System.nanoTime();
        int status = builder.start().waitFor();
        double time = System.nanoTime() - began;
        if (status > 1) {
            throw new IOException(
                    "%s: exit %d: %s"
                            .formatted(
                                    String.join(" ", command),
                                    status,
                                    Files.readString(errors).strip()));
        }
        return time;
    }
}
