package dev.pheromone.cli.mail;

import dev.pheromone.Receipt;
import dev.pheromone.State;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.GuardedTransport;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Waits until mail that was sent over a broker has ended in the hive that received it.
final class EndWait {

    private static final Duration PATIENCE = Duration.ofMinutes(30);

    private final Invocation call;
    private final GuardedTransport transport;
    private final Duration patience;

    private EndWait(Invocation call, GuardedTransport transport, Duration patience) {
        this.call = call;
        this.transport = transport;
        this.patience = patience;
    }

    /// The wait that `--wait-for` asks for; null if it is not given.
    static @Nullable EndWait asked(Invocation call, OpenHive hive) {
        String typed = call.declares("wait-for") ? call.args().value("wait-for") : null;
        if (typed == null) {
            return null;
        }
        hive.mail().requireEnds();
        int equals = typed.indexOf('=');
        if (!(equals < 0 ? typed : typed.substring(0, equals)).equals("done")) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "option --wait-for: found \"" + typed + "\", expected done or done=30m");
        }
        try {
            return new EndWait(
                    call,
                    hive.mail(),
                    equals < 0 ? PATIENCE : Ttl.parseDuration(typed.substring(equals + 1)));
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --wait-for", e);
        }
    }

    Answer after(SentAnswer sent) throws IOException {
        Instant deadline = call.now().plus(patience);
        List<Json> ended = new ArrayList<>();
        boolean areAllDone = true;
        for (Receipt.Copy copy : sent.receipt().copies()) {
            Duration left = Duration.between(call.now(), deadline);
            Optional<State> end;
            try {
                end =
                        left.isPositive()
                                ? transport.awaitEnd(sent.envelope(), copy.inbox(), left)
                                : Optional.empty();
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                // The mail is sent or kept all the same, and its sender needs its id.
                throw with(
                        sent,
                        ended,
                        notDone(
                                sent,
                                copy,
                                " as far as anybody knows ("
                                        + SafeText.line(FileProblem.describe(e))
                                        + (sent.isSpooled()
                                                ? "; it is kept, do not resend)"
                                                : ")")));
            }
            if (end.isEmpty()) {
                throw with(sent, ended, notDone(sent, copy, " within " + Ttl.format(patience)));
            }
            areAllDone &= end.get() == State.DONE;
            ended.add(
                    Json.obj()
                            .put("inbox", copy.inbox().name())
                            .put("state", end.get().toString()));
        }
        if (!areAllDone) {
            throw with(
                    sent,
                    ended,
                    new CliException(
                            ErrorCode.WORK_FAILED,
                            sent.envelope().id().shortForm()
                                    + " ended, and not as done: "
                                    + ended));
        }
        return new Ended(sent, ended);
    }

    /// @param how far the waiting came
    private CliException notDone(SentAnswer sent, Receipt.Copy copy, String how) {
        return new CliException(
                        ErrorCode.NOTHING,
                        sent.envelope().id().shortForm()
                                + " is not done at "
                                + copy.address()
                                + how
                                + ": it was last "
                                + sent.stateOf(copy))
                .hint("to wait on without sending it twice:")
                .fix(sent.commandAgain(call));
    }

    private static CliException with(SentAnswer sent, List<Json> ended, CliException failure) {
        sent.json().forEach(failure::detail);
        return failure.detail("ended", Json.arr(ended));
    }

    /// What was sent, and that it is done.
    private record Ended(SentAnswer sent, List<Json> ended) implements Answer {

        @Override
        public Json.Obj json() {
            return sent.json().put("ended", Json.arr(ended));
        }

        @Override
        public void show(Screen screen) {
            screen.line(sent.envelope().id().shortForm() + " is done");
        }

        @Override
        public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
            return sent.unwritten(call, why);
        }
    }
}
