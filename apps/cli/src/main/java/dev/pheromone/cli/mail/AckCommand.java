package dev.pheromone.cli.mail;

import dev.pheromone.Outcome;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.args.UsageException;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Locked;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.Ack;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Draft;
import dev.pheromone.session.mail.Reply;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// `rsm ack`: says how work on a claimed envelope goes or went.
public final class AckCommand implements HiveCommand {

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
        TypedReply reply = call.args().has("reply") ? new TypedReply(call, hive) : null;
        Session session = new Session(call, hive);
        Ack ack =
                switch (status) {
                    case "accepted" -> session.renew(typed, note, reply);
                    case "done" -> session.settle(typed, new Outcome.Done(note), reply);
                    default -> session.settle(typed, new Outcome.Failed(note), reply);
                };
        return answer(call, ack, status, reply == null ? null : reply.answer);
    }

    /// The reply that was typed.
    private static final class TypedReply implements Reply {
        private final Invocation call;
        private final OpenHive hive;

        /// Null until it is sent, and if an earlier attempt has sent one, in other words.
        private @Nullable SentAnswer answer;

        TypedReply(Invocation call, OpenHive hive) {
            this.call = call;
            this.hive = hive;
        }

        @Override
        public Draft draft() throws IOException {
            return TypedMail.answer(call, hive, String.valueOf(call.args().value("reply")));
        }

        @Override
        public void sent(Sent sent) {
            // Only the answer that ends the work has the same id each time.
            answer =
                    "done".equals(call.args().operand(1))
                            ? SentAnswer.of(call, sent)
                            : SentAnswer.ofNewEachTime(call, sent);
        }
    }

    /// What is said of `ack`; fails if the word on the claim did not count.
    static Answer answer(Invocation call, Ack ack, String status, @Nullable SentAnswer reply) {
        return switch (ack) {
            case Ack.Renewed(var id, var leaseEndsAt) ->
                    new Settled(id, status, "active", leaseEndsAt, reply);
            case Ack.Settled(var id, var state) ->
                    new Settled(id, status, state.toString(), null, reply);
            case Ack.Lost(var id, var reason) ->
                    throw new CliException(
                                    ErrorCode.CLAIM_LOST,
                                    id.shortForm() + " is not yours any more: " + reason)
                            .hint("nothing was changed; what happened to it:")
                            .fix("rsm trace " + id.shortForm());
            case Ack.Withheld(var lock, var reason, var inbox, var keptIn) ->
                    throw kept(keptIn, Locked.by(call, lock, reason, inbox.toString()));
            case Ack.Hidden(var why, var fate) ->
                    throw hidden(Locked.by(call, why), fate, call.args().operand(0));
        };
    }

    private static CliException hidden(CliException locked, Ack.Fate fate, @Nullable String claim) {
        return switch (fate) {
            case Ack.Fate.NotSaid(var transport) ->
                    locked.hint(
                            "nothing was said to "
                                    + transport
                                    + ", where the claim ends with its lease; say it again once the"
                                    + " lock is lifted");
            case Ack.Fate.NotNeeded() ->
                    locked.hint("nothing to renew: no lease ends while the hive is locked");
            case Ack.Fate.NotKept() ->
                    locked.hint(
                            "say it again once the lock is lifted; under a lock an outcome is kept"
                                    + " for a claim's whole name alone, which rsm select --json and"
                                    + " --quiet give");
            case Ack.Fate.Kept(var file, var replyFile) ->
                    withReply(kept(file, locked), replyFile, String.valueOf(claim));
        };
    }

    private static CliException withReply(CliException kept, @Nullable String file, String claim) {
        if (file == null) {
            return kept;
        }
        if (file.isEmpty()) {
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

    private static CliException kept(String file, CliException locked) {
        return file.isEmpty() ? locked : Locked.kept(locked, "the outcome", file);
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
