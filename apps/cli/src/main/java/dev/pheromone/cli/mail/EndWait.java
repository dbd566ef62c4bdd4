package dev.pheromone.cli.mail;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.GuardedTransport;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.LegWait;
import dev.pheromone.session.look.Legs;
import dev.pheromone.session.look.Legs.Leg;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Waits until mail that was sent has come as far as `--wait-for` says: by the evidence in this
/// hive's log, or by what a broker brings back from the hive that received it.
final class EndWait {

    private static final Duration PATIENCE = Duration.ofMinutes(30);

    private final Invocation call;
    private final GuardedTransport transport;
    private final Leg wanted;
    private final Duration patience;

    private EndWait(Invocation call, OpenHive hive, Leg wanted, Duration patience) {
        this.call = call;
        this.transport = hive.mail();
        this.wanted = wanted;
        this.patience = patience;
    }

    /// The wait that `--wait-for` asks for; null if it is not given.
    static @Nullable EndWait asked(Invocation call, OpenHive hive) {
        String typed = call.declares("wait-for") ? call.args().value("wait-for") : null;
        if (typed == null) {
            return null;
        }
        int equals = typed.indexOf('=');
        String word = equals < 0 ? typed : typed.substring(0, equals);
        Leg wanted =
                switch (word) {
                    case "stored" -> Leg.STORED;
                    case "seen" -> Leg.SEEN;
                    case "taken" -> Leg.TAKEN;
                    case "done" -> Leg.DONE;
                    default ->
                            throw new CliException(
                                    ErrorCode.USAGE,
                                    "option --wait-for: found \""
                                            + typed
                                            + "\", expected stored, seen, taken or done, with"
                                            + " =30m for how long");
                };
        requireKnowledge(hive.mail(), wanted);
        try {
            return new EndWait(
                    call,
                    hive,
                    wanted,
                    equals < 0 ? PATIENCE : Ttl.parseDuration(typed.substring(equals + 1)));
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --wait-for", e);
        }
    }

    /// Fails if nobody would ever say so here.
    private static void requireKnowledge(GuardedTransport transport, Leg wanted) {
        if (transport.name().isEmpty() || wanted == Leg.STORED) {
            return;
        }
        if (wanted == Leg.DONE) {
            transport.requireEnds();
            return;
        }
        throw new CliException(
                        ErrorCode.USAGE,
                        "option --wait-for: "
                                + transport.name().get()
                                + " does not tell senders when mail is "
                                + wanted
                                + ", expected stored"
                                + ", or done over MQTT")
                .hint("in the hive that receives it, rsm trace shows how far it came");
    }

    Answer after(Session session, SentAnswer answer, Sent sent) throws IOException {
        if (wanted == Leg.STORED) {
            return afterStored(answer);
        }
        return transport.name().isEmpty() ? afterLegs(session, answer, sent) : after(answer);
    }

    /// Whatever was not delivered or kept failed before.
    private Answer afterStored(SentAnswer sent) {
        for (Receipt.Copy copy : sent.receipt().copies()) {
            if (!(copy.result() instanceof SendResult.Delivered)
                    && !(copy.result() instanceof SendResult.Duplicate)) {
                throw with(
                        sent,
                        new CliException(
                                        ErrorCode.NOTHING,
                                        sent.envelope().id().shortForm()
                                                + " is not stored at "
                                                + copy.address()
                                                + " yet: it was last "
                                                + sent.stateOf(copy))
                                .hint("to wait on without sending it twice:")
                                .fix(sent.commandAgain(call)));
            }
        }
        return sent;
    }

    private Answer afterLegs(Session session, SentAnswer answer, Sent sent) throws IOException {
        LegWait.Waited waited = session.await(wanted, sent, patience);
        List<Json> reached = new ArrayList<>();
        for (Domain inbox : waited.inboxes()) {
            Leg last = waited.legs().last(inbox);
            Legs.Proof proof = last == null ? null : waited.legs().proof(inbox, last);
            Json.Obj json =
                    Json.obj()
                            .put("inbox", inbox.name())
                            .put("leg", last == null ? Json.Null.NULL : Json.of(last.toString()));
            reached.add(
                    proof == null
                            ? json
                            : json.put("at", IsoTime.format(proof.at()))
                                    .put("actor", proof.actor())
                                    .put("by", proof.by()));
        }
        if (waited.isReached()) {
            return new Reached(answer, wanted, reached);
        }
        throw with(answer, notReached(answer, waited)).detail("reached", Json.arr(reached));
    }

    private CliException notReached(SentAnswer sent, LegWait.Waited waited) {
        String id = sent.envelope().id().shortForm();
        for (Domain inbox : waited.inboxes()) {
            String end = waited.legs().end(inbox);
            if (end != null) {
                return new CliException(
                        ErrorCode.WORK_FAILED,
                        id
                                + " is "
                                + end
                                + " at "
                                + inbox.address()
                                + ", and will not be "
                                + wanted);
            }
        }
        for (Domain inbox : waited.inboxes()) {
            Leg last = waited.legs().last(inbox);
            if (last == null || last.compareTo(wanted) < 0) {
                return new CliException(
                                ErrorCode.NOTHING,
                                "there is no evidence within "
                                        + Ttl.format(patience)
                                        + " that "
                                        + id
                                        + " is "
                                        + wanted
                                        + " at "
                                        + inbox.address()
                                        + ": it was last "
                                        + (last == null ? "sent" : last.words()))
                        .hint("to wait on without sending it twice:")
                        .fix(sent.commandAgain(call));
            }
        }
        throw new IllegalStateException("every copy came as far as was wanted");
    }

    private static CliException with(SentAnswer sent, CliException failure) {
        sent.json().forEach(failure::detail);
        return failure;
    }

    /// What was sent, and how far it came.
    private record Reached(SentAnswer sent, Leg wanted, List<Json> reached) implements Answer {

        @Override
        public Json.Obj json() {
            return sent.json().put("reached", Json.arr(reached));
        }

        @Override
        public void show(Screen screen) {
            screen.line(sent.envelope().id().shortForm() + " is " + wanted);
        }

        @Override
        public void showBriefly(Screen screen) {
            sent.showBriefly(screen);
        }

        @Override
        public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
            return sent.unwritten(call, why);
        }
    }

    private Answer after(SentAnswer sent) throws IOException {
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
