package dev.pheromone.cli.work;

import dev.pheromone.AwayException;
import dev.pheromone.Inbox;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.CommandFiles;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Locked;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.StopSignals;
import dev.pheromone.cli.frame.Streamed;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.Hive;
import dev.pheromone.hive.HiveOptions;
import dev.pheromone.hive.HiveOptions.Mode;
import dev.pheromone.hive.Progress;
import dev.pheromone.session.hive.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// `rsm work`: the whole loop, with a command as the worker.
public final class WorkCommand implements HiveCommand {

    /// How often a hive that is locked at the start is asked whether it is free.
    private static final Duration LOCK_POLL = Duration.ofMillis(500);

    @Override
    public Spec spec() {
        return Spec.of("work", Group.AGENTS, "runs a command for each envelope that comes")
                .usage("rsm work ADDRESS [options] -- COMMAND...")
                .required("ADDRESS", "whose inbox, such as code")
                .oneOrMore("COMMAND", "the program and its arguments, after --")
                .opt(Opt.value("concurrency", "N", "how many envelopes at once").withFallback("1"))
                .opt(Opt.flag("once", "end after one envelope"))
                .opt(Opt.value("wait", "DURATION", "with --once, wait this long for an envelope"))
                .opt(Opt.flag("drain", "end when nothing is ready, or everything left is locked"))
                .opt(
                        Opt.value(
                                        "timeout",
                                        "DURATION",
                                        "stop a command that takes longer; that counts as an error")
                                .withFallback("10m"))
                .opt(
                        Opt.value(
                                        "grace",
                                        "DURATION",
                                        "when stopped, how long running commands may go on")
                                .withFallback("30s"))
                .opt(MailOptions.via("work on the mail of this transport of hive.yaml"))
                .opt(Opt.flag("reply", "send what the command prints to the sender as the answer"))
                .note(
                        "The command gets the body on standard input, and RSM_ID, RSM_CLAIM,"
                            + " RSM_TOPIC, RSM_FROM, RSM_LANE, RSM_PRIORITY, RSM_SCOPE,"
                            + " RSM_ATTEMPT, RSM_INBOX, RSM_ROOT and RSM_ENVELOPE (a private copy"
                            + " of the whole envelope) in its environment. Exit 0: done. Exit 75:"
                            + " given back, and nobody gets it for 5 s, then longer. Anything else:"
                            + " an error, tried again after a pause. If a machine dies, the command"
                            + " may run twice for one envelope: if it finds its work done already,"
                            + " it should exit 0.")
                .note(
                        "What it prints goes to standard error, with --json nowhere. SIGTERM or"
                            + " Ctrl-C lets running commands finish, a second one gives back what"
                            + " runs. With --json it prints one object a line for each envelope.")
                .example(
                        "rsm work code --concurrency 4 -- ./handle.sh",
                        "works on mail for queen://code, four at a time, until it is stopped")
                .example(
                        "rsm work docs --once --wait 10m --reply -- claude -p \"do what it says\"",
                        "waits for one envelope, and answers with what the command prints")
                .example(
                        "rsm work code --via team -- ./handle.sh",
                        "works on the mail of another transport, as one of several machines")
                .example("rsm work ops --drain --json -- ./deploy", "does what is there, and ends")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        List<String> words = call.args().operands().subList(1, call.args().operands().size());
        if (CommandFiles.program(words.getFirst(), call.surroundings().cwd(), searchPath(call))
                == null) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "COMMAND: found \""
                                    + words.getFirst()
                                    + "\", expected a program that can be run; nothing was taken")
                    .hint("a shell command goes as: sh -c '...'");
        }
        HiveOptions options = options(call, hive);
        Stop stop = new Stop();
        WorkScreen screen = new WorkScreen(call, stop::ask);
        Answer answer;
        try {
            answer = work(call, hive, options, words, stop, screen);
        } finally {
            screen.close();
        }
        screen.requireWritten();
        return answer;
    }

    private static Answer work(
            Invocation call,
            OpenHive hive,
            HiveOptions options,
            List<String> words,
            Stop stop,
            WorkScreen screen)
            throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
        try (StopSignals _ = new StopSignals(stop::ask);
                CommandFiles files = CommandFiles.open(temporary)) {
            Inbox inbox = inbox(call, hive, screen, stop, options.mode());
            if (inbox == null) {
                return new Streamed();
            }
            CommandWorker worker =
                    new CommandWorker(
                            call,
                            hive,
                            files,
                            screen,
                            CommandWorker.started(
                                    words, call.surroundings().cwd(), searchPath(call)));
            WorkReports reports = new WorkReports(call, worker, screen, options.mode());
            Hive loop =
                    new Hive(
                            inbox,
                            call.actor(),
                            worker,
                            options,
                            call.surroundings().clock(),
                            reports);
            stop.attach(loop);
            Progress done;
            try (WorkChores _ = new WorkChores(call, loop, hive, screen, options.mode())) {
                done = loop.run();
            }
            return end(inbox, options, reports, screen, done);
        }
    }

    private static Answer end(
            Inbox inbox,
            HiveOptions options,
            WorkReports reports,
            WorkScreen screen,
            Progress done) {
        screen.endProgress();
        if (options.mode() == Mode.ONCE) {
            CliException failure =
                    reports.failureOfOnce(inbox.domain().address().toString(), options.patience());
            if (failure != null) {
                throw failure;
            }
        } else {
            screen.note(
                    "%d done, %d %s, %d given back"
                            .formatted(
                                    done.done(),
                                    done.failed(),
                                    done.failed() == 1 ? "error" : "errors",
                                    done.released()));
            CliException cause = reports.endOfDrain(inbox.domain().address().toString());
            if (cause != null) {
                throw cause;
            }
        }
        return new Streamed();
    }

    private static String searchPath(Invocation call) {
        String path = call.surroundings().variable("PATH");
        return path == null
                ? Objects.requireNonNullElse(
                        new ProcessBuilder().environment().get("PATH"), "/usr/bin:/bin")
                : path;
    }

    private static HiveOptions options(Invocation call, OpenHive hive) {
        boolean once = call.args().has("once");
        if (once && call.args().has("drain")) {
            throw new CliException(
                    ErrorCode.USAGE, "--once and --drain are both given, expected one");
        }
        Duration wait = call.args().duration("wait");
        if (wait != null && !once) {
            throw new CliException(ErrorCode.USAGE, "option --wait is for --once only");
        }
        Mode mode = once ? Mode.ONCE : call.args().has("drain") ? Mode.DRAIN : Mode.FOREVER;
        int concurrency = call.args().count("concurrency", 1, HiveOptions.CONCURRENCY_MAX);
        try {
            return new HiveOptions(
                    mode,
                    concurrency,
                    Objects.requireNonNull(call.args().duration("timeout")),
                    Objects.requireNonNull(call.args().duration("grace")),
                    hive.config().lease().work(),
                    wait == null ? Duration.ZERO : wait);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --timeout", e);
        }
    }

    /// The inbox that was typed. If a lock keeps us from finding it, a worker that stays finds it
    /// as soon as that is gone. Null if it is stopped before.
    private static @Nullable Inbox inbox(
            Invocation call, OpenHive hive, WorkScreen screen, Stop stop, Mode mode)
            throws IOException {
        boolean told = false;
        while (!stop.isAsked()) {
            try {
                return TypedHive.inbox(call, hive, 0);
            } catch (WithheldException | AwayException e) {
                if (mode != Mode.FOREVER) {
                    throw e;
                }
                if (!told) {
                    if (e instanceof WithheldException withheld) {
                        hive.transport().report(withheld);
                    }
                    screen.note(
                            (e instanceof WithheldException withheld
                                            ? Locked.by(call, withheld).getMessage()
                                            : e.getMessage())
                                    + "; waiting");
                    told = true;
                }
            }
            stop.await(LOCK_POLL);
        }
        return null;
    }

    /// Asked for once, it lets running work finish; asked again, it does not.
    private static final class Stop {

        private final CountDownLatch first = new CountDownLatch(1);
        private int asked;
        private @Nullable Hive hive;

        synchronized void ask() {
            asked++;
            tell();
            first.countDown();
        }

        synchronized void attach(Hive loop) {
            hive = loop;
            tell();
        }

        private void tell() {
            if (hive != null && asked == 1) {
                hive.stop();
            } else if (hive != null && asked > 1) {
                hive.stopNow();
            }
        }

        synchronized boolean isAsked() {
            return asked > 0;
        }

        /// Waits until it is asked for, or `timeout` is over; whether it is, the next look shows.
        void await(Duration timeout) throws IOException {
            try {
                boolean _ = first.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting");
            }
        }
    }
}
