package dev.pheromone.cli.serve;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.StopSignals;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.home.DoctorCommand;
import dev.pheromone.cli.home.InitCommand;
import dev.pheromone.cli.resident.Ending;
import dev.pheromone.cli.resident.Endpoint;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.server.HttpEndpoint;
import dev.pheromone.session.bridge.Brokers;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Forwarding;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// `rsm up`: keeps a hive in order, for as long as it runs.
public final class UpCommand implements Command {

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private static final int PORT_MAX = 65_535;

    @Override
    public Spec spec() {
        return Spec.of("up", Group.OPERATORS, "keeps a hive in order, until interrupted")
                .opt(
                        Opt.value(
                                "port",
                                "PORT",
                                "also serve it over HTTP at this port, as rsm serve does, to this"
                                        + " machine only"))
                .opt(
                        Opt.flag(
                                "trust-notify",
                                "let the command run that notify in hive.yaml names to tell people"
                                        + " of their mail, as it is now; for people"))
                .opt(Opt.value("by", "NAME", "who decides, if there is no terminal to ask at"))
                .opt(Opt.flag("detach", "go on in the background, and return once it answers"))
                .opt(
                        Opt.flag(
                                "service",
                                "print what the system needs to start it with your session: a unit"
                                        + " of systemd, or of launchd on a Mac"))
                .note(
                        "While it runs, it answers the short commands of this hive (send, select,"
                            + " ack, check, the hook of agents and the like) within milliseconds,"
                            + " instead of a process for each. The answers are the same. rsm down"
                            + " ends it.")
                .note(
                        "It makes the hive if there is none, then takes back overdue claims,"
                            + " archives what is expired, delivers what was parked, sends on what"
                            + " waits in the outbox, ends backpressure, and finishes what dead"
                            + " processes left. Where hive.yaml says receive: it receives mail from"
                            + " an MQTT broker. Every command does its part of that too; this one"
                            + " is for hives where hours pass without one.")
                .example("rsm up", "in a terminal of its own, or as a service")
                .example("rsm up --detach", "in the background, until rsm down")
                .example("rsm up --port 7777", "with HTTP at 127.0.0.1:7777")
                .example("rsm up --service", "what starts it with your session")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        HiveLayout layout = findOrMake(call);
        OpenHive found = TypedHive.open(call);
        if (call.args().has("trust-notify")) {
            new Notifier(call, found).trust();
        }
        if (call.args().has("service") || call.args().has("detach")) {
            found.close();
            return call.args().has("service")
                    ? ServiceUnit.of(call, layout, System.getProperty("os.name", ""))
                    : Detached.start(call, layout, call.args().value("port"));
        }
        try (OpenHive hive = found;
                HttpEndpoint endpoint =
                        call.args().has("port")
                                ? ServeCommand.startAtPort(
                                        call, hive, call.args().count("port", 0, PORT_MAX))
                                : null) {
            if (endpoint != null) {
                call.note("serving it at " + endpoint.url());
            }
            Watch watch = new Watch(call, hive);
            int port = endpoint == null ? 0 : endpoint.address().getPort();
            try (Endpoint _ = resident(call, hive, port, watch);
                    Brokers brokers = new Brokers(call, hive)) {
                brokers.start();
                return watch.keep(endpoint == null ? null : endpoint.url());
            }
        }
    }

    /// Where the hive is that is meant, which is made where none is named and none is there.
    static HiveLayout findOrMake(Invocation call) throws IOException {
        try {
            return TypedHive.find(call);
        } catch (CliException e) {
            if (e.code() != ErrorCode.NO_HIVE || call.namedRoot() != null) {
                throw e;
            }
            Answer _ = new InitCommand().run(call.like(new InitCommand().spec()));
            call.note("made a hive in " + SafeText.line(call.surroundings().cwd().toString()));
            return TypedHive.find(call);
        }
    }

    /// Where commands of this hive are answered from now on; null where clients would not find it.
    private static @Nullable Endpoint resident(
            Invocation call, OpenHive hive, int port, Watch watch) throws IOException {
        try {
            return Endpoint.start(call, hive.layout(), port, watch::end).orElse(null);
        } catch (Endpoint.AlreadyRunsException e) {
            throw new CliException(ErrorCode.CONFLICT, String.valueOf(e.getMessage()), e)
                    .hint("it keeps this hive in order; to end it:")
                    .fix("rsm down");
        }
    }

    /// One stretch of keeping a hive in order.
    private static final class Watch {

        private final Invocation call;
        private final OpenHive hive;
        private final Instant began;
        private final CountDownLatch over = new CountDownLatch(1);
        private long rounds;
        private long mended;
        private final Forwarding forwarding;
        private final Notifier notifier;
        private @Nullable String trouble;
        private volatile @Nullable Ending ending;

        Watch(Invocation call, OpenHive hive) {
            this.call = call;
            this.hive = hive;
            this.began = call.now();
            this.forwarding = new Forwarding(call, hive, Outbox.Pace.WHEN_DUE);
            this.notifier = new Notifier(call, hive);
        }

        /// Ends this stretch, and tells why.
        void end(Ending why) {
            ending = why;
            call.note(why.text());
            over.countDown();
        }

        Answer keep(@Nullable URI url) {
            try (StopSignals _ = new StopSignals(over::countDown)) {
                // Only now: whoever reads this may stop the program in good order.
                call.note(
                        "keeping " + SafeText.line(hive.layout().root().toString()) + " in order");
                do {
                    round();
                } while (!over.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                forwarding.close();
            }
            return new Kept(
                    hive.layout().root().toString(),
                    url,
                    rounds,
                    mended,
                    Duration.between(began, call.now()),
                    ending);
        }

        /// Whatever goes wrong in one round may go well in the next; it is told once.
        private void round() throws InterruptedException {
            try {
                for (Finding finding : hive.transport().upkeep().housekeep()) {
                    if (finding.severity() == Finding.Severity.MENDED) {
                        mended++;
                    }
                    boolean isFixed = finding.severity() == Finding.Severity.MENDED;
                    call.note((isFixed ? "fixed: " : "") + DoctorCommand.text(finding));
                }
                for (Forwarding.Round round : forwarding.round()) {
                    if (round.didAnything()) {
                        call.note(round.text());
                    }
                }
                notifier.round();
                rounds++;
                tell(null);
            } catch (WithheldException e) {
                hive.transport().report(e);
                tell("waiting for a lock to be lifted: " + e.verdict().reason());
            } catch (IOException e) {
                tell(FileProblem.describe(e));
            }
        }

        private void tell(@Nullable String problem) {
            if (problem == null && trouble != null) {
                call.note("all is well again");
            } else if (problem != null && !problem.equals(trouble)) {
                call.note(problem);
            }
            trouble = problem;
        }
    }

    /// @param url where it was served; null if it was not
    /// @param ending why it ended by itself; null if it was interrupted
    private record Kept(
            String root,
            @Nullable URI url,
            long rounds,
            long mended,
            Duration time,
            @Nullable Ending ending)
            implements Answer {

        /// A service that is to run again has not succeeded: whoever keeps it running starts it.
        @Override
        public @Nullable CliException failure() {
            Ending why = ending;
            return why == null || !why.again()
                    ? null
                    : new CliException(ErrorCode.UNHEALTHY, "ended by itself: " + why.text())
                            .hint("to begin again:")
                            .fix("rsm up --detach");
        }

        @Override
        public Json.Obj json() {
            Json.Obj json =
                    Json.obj()
                            .put("root", root)
                            .put("rounds", rounds)
                            .put("mended", mended)
                            .put("ran_s", time.toSeconds());
            return url == null ? json : json.put("url", url.toString());
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "kept the hive in order for "
                            + Ages.span(time)
                            + "; fixed "
                            + mended
                            + (mended == 1 ? " thing" : " things"));
        }
    }
}
