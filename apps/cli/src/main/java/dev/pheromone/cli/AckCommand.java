package dev.pheromone.cli;

import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.args.UsageException;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.file.OtherOutcomeException;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.FileProblem;
import dev.pheromone.session.ProblemException;
import dev.pheromone.session.ShortClaim;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// `rsm ack`: says how work on a claimed envelope goes or went.
final class AckCommand implements HiveCommand {

    private static final List<String> STATUSES = List.of("accepted", "done", "error");

    @Override
    public Spec spec() {
        return Spec.of("ack", Group.AGENTS, "says how work on an envelope goes or went")
                .required(
                        "ID|CLAIM",
                        "the envelope's id, with its attempt if you had it before (k3f9x2.2), or"
                                + " the claim that rsm select gave")
                .required(
                        "STATUS",
                        "accepted renews the lease, done ends it, error has it tried again",
                        STATUSES)
                .optional("NOTE", "a line for the event log")
                .opt(
                        Opt.value(
                                "reply",
                                "BODY|-",
                                "answer its sender too; - reads it from standard input"))
                .opt(MailOptions.via("it was taken from this transport of hive.yaml"))
                .note("Mail that waits in your own inbox can be finished without taking it first.")
                .example("rsm ack k3f9x2 done \"merged in 4f2c1ab\"", "ends it, for good")
                .example(
                        "rsm ack k3f9x2 error \"tests fail\"",
                        "gives it back for another attempt, after a pause")
                .example("rsm ack k3f9x2 done --reply \"looks good\"", "ends it, and answers")
                .build();
    }

    /// The status before the id is how one would say it.
    @Override
    public @Nullable UsageException meant(CommandLine line, int commandIndex) {
        List<String> words = new ArrayList<>(line.words());
        int id = commandIndex + 2;
        if (id >= words.size() || !STATUSES.contains(words.get(id - 1))) {
            return null;
        }
        Collections.swap(words, id - 1, id);
        return new UsageException(
                "ID|CLAIM: found \"" + words.get(id) + "\", expected the id before the status",
                "the other way round:",
                new CommandLine(words).toString());
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        String typed = String.valueOf(call.args().operand(0));
        String status = String.valueOf(call.args().operand(1));
        String typedNote = call.args().operand(2);
        String note = typedNote == null ? "" : typedNote;
        ClaimLookup.Found claim;
        SentAnswer reply;
        try {
            EnvelopeId before = doneBefore(hive, typed);
            if (before != null && status.equals("done") && !call.args().has("reply")) {
                return new Settled(before, status, State.DONE.toString(), null, null);
            }
            ClaimLookup lookup = new ClaimLookup(call, hive);
            claim = status.equals("done") ? lookup.findOrTake(typed) : lookup.find(typed);
            reply = call.args().has("reply") ? reply(call, hive, claim, status) : null;
        } catch (WithheldException e) {
            if (hive.via() != null) {
                hive.transport().report(e);
                throw Locked.by(call, e).hint(notSent(hive.via()));
            }
            if (status.equals("accepted")) {
                hive.transport().report(e);
                throw Locked.by(call, e)
                        .hint("nothing to renew: no lease ends while the hive is locked");
            }
            CliException kept = kept(call, hive, typed, outcome(status, note), e);
            throw call.args().has("reply") && kept.code() == ErrorCode.WITHHELD
                    ? keptReply(call, hive, typed, kept)
                    : kept;
        }
        Settlement settlement =
                status.equals("accepted")
                        ? claim.inbox().accept(claim.token(), note)
                        : claim.inbox().settle(claim.token(), outcome(status, note));
        if (hive.via() != null
                && settlement instanceof Settlement.Settled(var state, var _)
                && state == State.DONE) {
            noteDone(call, hive.via(), claim.token());
        }
        return answer(call, claim, status, settlement, reply);
    }

    /// The envelope of the claim that was typed, if a command has said by the same way that it is
    /// done: what is done stays done, as over files.
    private static @Nullable EnvelopeId doneBefore(OpenHive hive, String typed) throws IOException {
        int dot = typed.indexOf('.');
        if (hive.via() == null || dot < 0 || !EnvelopeId.isId(typed.substring(0, dot))) {
            return null;
        }
        return hive.via().held().isDone(typed) ? EnvelopeId.parse(typed.substring(0, dot)) : null;
    }

    private static void noteDone(Invocation call, Via via, String token) {
        try {
            via.held().noteDone(token);
        } catch (IOException e) {
            // A lock, or a full disk: what is done is done.
            call.warn("the outcome is not noted here: " + FileProblem.describe(e));
        }
    }

    static String notSent(Via via) {
        return "nothing was said to "
                + via.name()
                + ", where the claim ends with its lease; say it again once the lock is lifted";
    }

    private static Outcome outcome(String status, String note) {
        return status.equals("done") ? new Outcome.Done(note) : new Outcome.Failed(note);
    }

    /// Keeps the outcome of a claim while a lock forbids to settle it, and says so.
    static CliException kept(
            Invocation call, OpenHive hive, String typed, Outcome outcome, WithheldException e)
            throws IOException {
        if (!ShortClaim.isWhole(typed)) {
            hive.transport().report(e);
            return Locked.by(call, e)
                    .hint(
                            "say it again once the lock is lifted; under a lock an outcome is kept"
                                    + " for a claim's whole name alone, which rsm select --json and"
                                    + " --quiet give");
        }
        try {
            String kept = hive.transport().keepOutcome(typed, outcome, e);
            // After it is kept, so that it is counted among what waits.
            return keptIn(kept, Locked.by(call, e));
        } catch (OtherOutcomeException other) {
            return new CliException(ErrorCode.CONFLICT, String.valueOf(other.getMessage()), other)
                    .hint("it is applied when the lock is lifted; nothing was changed");
        } catch (IllegalArgumentException malformed) {
            return new CliException(
                    ErrorCode.USAGE, String.valueOf(malformed.getMessage()), malformed);
        }
    }

    /// Keeps the answer, too: whom it is for can't be looked up, so whoever wrote it sends it
    /// later.
    private static CliException keptReply(
            Invocation call, OpenHive hive, String claim, CliException kept) throws IOException {
        if (!ShortClaim.isWhole(claim)) {
            return kept;
        }
        byte[] body =
                new WorkReply(call, hive).typedBody(String.valueOf(call.args().value("reply")));
        String file;
        try {
            file = hive.transport().keepReply(claim, body);
        } catch (WithheldException e) {
            return kept.hint("the answer is not kept: the embargo is locked");
        }
        return kept.hint(
                        "the answer is kept in "
                                + file
                                + ", and not sent by itself; when the lock is lifted, type:")
                .fix(
                        "rsm reply "
                                + claim.substring(0, claim.indexOf('.'))
                                + " - < "
                                + ShellWords.quote(file))
                .detail("reply_kept_in", Json.of(file));
    }

    private static CliException keptIn(String mirror, CliException locked) {
        return mirror.isEmpty() ? locked : Locked.kept(locked, "the outcome", mirror);
    }

    /// The answer to what a settlement gave; fails if the claim was lost.
    static Answer answer(
            Invocation call,
            ClaimLookup.Found claim,
            String status,
            Settlement settlement,
            @Nullable SentAnswer reply) {
        return switch (settlement) {
            case Settlement.Renewed(var leaseEndsAt) ->
                    new Settled(claim.id(), status, "active", leaseEndsAt, reply);
            case Settlement.Settled(var state, var confirmation) ->
                    new Settled(claim.id(), status, state.toString(), null, reply);
            case Settlement.Lost(var reason) ->
                    throw new CliException(
                                    ErrorCode.CLAIM_LOST,
                                    claim.id().shortForm() + " is not yours any more: " + reason)
                            .hint("nothing was changed; what happened to it:")
                            .fix("rsm trace " + claim.id().shortForm());
            case Settlement.Withheld(var lock, var reason, var mirror) ->
                    throw keptIn(
                            mirror,
                            Locked.by(
                                    call,
                                    lock,
                                    reason,
                                    claim.inbox().domain().address().toString()));
        };
    }

    /// Answers before the work is settled: if we die between the two, it is tried again, and the
    /// answer that ends it, which has the same id then, is not sent twice. Null if an earlier
    /// attempt has sent that answer, in other words.
    private static @Nullable SentAnswer reply(
            Invocation call, OpenHive hive, ClaimLookup.Found claim, String status)
            throws IOException {
        if (claim.inbox().renew(claim.token()) instanceof Settlement.Lost(var reason)) {
            throw new CliException(
                    ErrorCode.CLAIM_LOST,
                    claim.id().shortForm()
                            + " is not yours any more: "
                            + reason
                            + "; nothing was sent");
        }
        try {
            return sendReply(call, hive, claim, status);
        } catch (IOException | CliException | ProblemException e) {
            if (claim.isNew()) {
                // Nobody was told of this claim: the mail waits on as it did.
                var _ =
                        claim.inbox()
                                .settle(
                                        claim.token(),
                                        new Outcome.Released("the answer could not be sent"));
            }
            throw e;
        }
    }

    private static @Nullable SentAnswer sendReply(
            Invocation call, OpenHive hive, ClaimLookup.Found claim, String status)
            throws IOException {
        Letter request = new Lookup(hive).letter(claim.token());
        boolean isLast = status.equals("done");
        WorkReply work = new WorkReply(call, hive);
        Envelope reply =
                work.compose(
                        request.envelope(),
                        work.recipient(request.envelope()),
                        work.typedBody(String.valueOf(call.args().value("reply"))),
                        // Of reports on the way there may be several.
                        isLast ? EnvelopeId.ofReply(claim.id(), claim.inbox().domain()) : null);
        try {
            return work.send(reply);
        } catch (CliException e) {
            if (!isLast || e.code() != ErrorCode.CONFLICT) {
                throw e;
            }
            call.warn("an earlier attempt has answered already, and that answer stands");
            return null;
        }
    }

    private record Settled(
            EnvelopeId ref,
            String status,
            String state,
            @Nullable Instant leaseEndsAt,
            @Nullable SentAnswer reply)
            implements Answer {

        @Override
        public Json.Obj json() {
            Json.Obj json =
                    Json.obj().put("ref", ref.text()).put("status", status).put("state", state);
            if (leaseEndsAt != null) {
                json = json.put("lease_ends_at", IsoTime.format(leaseEndsAt));
            }
            return reply == null ? json : json.put("reply", reply.json());
        }

        @Override
        public void show(Screen screen) {
            String id = ref.shortForm();
            if (leaseEndsAt != null) {
                screen.line(
                        id
                                + " is yours; the lease ends "
                                + Ages.relative(leaseEndsAt, screen.now()));
            } else {
                screen.line(id + " is " + state);
            }
            if (reply != null) {
                reply.show(screen);
            }
        }
    }
}
