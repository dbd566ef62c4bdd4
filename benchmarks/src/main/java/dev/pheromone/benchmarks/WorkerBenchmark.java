package dev.pheromone.benchmarks;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/// What `rsm work` needs while it has nothing to do and others have: processor and memory.
final class WorkerBenchmark implements Benchmark {

    /// Mail that waits in another inbox of the same hive.
    private static final int WAITING_ELSEWHERE = 1_000;

    private static final Duration START = Duration.ofSeconds(8);
    private static final Duration WATCHED = Duration.ofSeconds(50);

    /// The kernel counts processor time in hundredths of a second.
    private static final double TICKS_PER_S = 100;

    private static final double IDLE_PERCENT_MAX = 1;

    /// Where `/proc/PID/stat` has the times in user and kernel mode, after the program's name.
    private static final int USER_TICKS = 11;

    @Override
    public String name() {
        return "worker";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        if (!Files.exists(Path.of("/proc/self/stat"))) {
            return List.of(new Row.NotMeasured(name(), "this system has no /proc"));
        }
        HiveLayout layout = setting.scratch().freshHive("worker", SampleMail.INBOX);
        Files.createDirectories(layout.inbox(Domain.parse("docs")).resolve(".tmp"));
        SampleMail mail = new SampleMail();
        for (int i = 0; i < WAITING_ELSEWHERE; i++) {
            Envelope envelope = mail.next(Duration.ZERO);
            Files.write(
                    layout.inbox(SampleMail.INBOX).resolve(envelope.id() + ".md"),
                    envelope.bytes());
        }
        Process worker = start(setting, layout);
        try {
            Thread.sleep(START);
            long before = ticks(worker);
            Duration watched = WATCHED.dividedBy(setting.effort() == Effort.QUICK ? 5 : 1);
            Thread.sleep(watched);
            double percent = 100 * (ticks(worker) - before) / TICKS_PER_S / watched.toSeconds();
            return List.of(
                    new Row.Figure(
                            name(),
                            "rsm work, waiting, 1,000 waiting elsewhere",
                            String.format(Locale.ROOT, "%.2f %% of a core", percent),
                            "at most 1 %",
                            percent <= IDLE_PERCENT_MAX),
                    new Row.Figure(
                            name(),
                            "rsm work, memory in use",
                            String.format(Locale.ROOT, "%.0f MiB", residentKib(worker) / 1024.0),
                            "",
                            true));
        } finally {
            worker.destroy();
            if (!worker.waitFor(START.toSeconds(), TimeUnit.SECONDS)) {
                worker.destroyForcibly();
            }
        }
    }

    private static Process start(Setting setting, HiveLayout layout) throws IOException {
        return new ProcessBuilder(
                        setting.launcher().toString(),
                        "work",
                        "docs",
                        "--actor",
                        Actor.parse("worker").name(),
                        "--",
                        "true")
                .directory(layout.root().toFile())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }

    /// The processor time that it has used. The launcher becomes the program, so its number is the
    /// program's.
    private static long ticks(Process process) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[USER_TICKS + 1]);
    }

    private static long residentKib(Process process) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("/proc has no VmRSS of process " + process.pid());
    }
}
