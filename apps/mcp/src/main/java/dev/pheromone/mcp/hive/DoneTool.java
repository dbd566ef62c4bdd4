package dev.pheromone.mcp.hive;

import dev.pheromone.Outcome;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.Ack;
import dev.pheromone.session.mail.Draft;
import dev.pheromone.session.mail.Reply;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/// `done`: how work on claimed mail goes or went.
final class DoneTool implements Tool {

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        String claim = said.required("claim");
        String note = said.has("note") ? String.valueOf(said.text("note")) : "";
        String status = said.required("status");
        String answer = said.text("reply");
        if (answer != null && status.equals("release")) {
            throw new ProblemException(
                    Code.USAGE, "reply: found with release, expected none: nothing was done");
        }
        SentReply reply = answer == null ? null : new SentReply(answer);
        Ack ack =
                switch (status) {
                    case "accepted" -> session.renew(claim, note, reply);
                    case "done" -> session.settle(claim, new Outcome.Done(note), reply);
                    case "error" -> session.settle(claim, new Outcome.Failed(note), reply);
                    default -> session.settle(claim, new Outcome.Released(note), null);
                };
        Told told = told(ack, setting);
        return reply == null ? told : reply.below(told);
    }

    private static Told told(Ack ack, Setting setting) {
        return switch (ack) {
            case Ack.Renewed(var id, var leaseEndsAt) ->
                    Told.of(
                            id.shortForm()
                                    + " is yours; the lease ends "
                                    + Ages.relative(leaseEndsAt, setting.caller().now())
                                    + "\n",
                            Json.obj()
                                    .put("id", id.text())
                                    .put("state", "active")
                                    .put("lease_ends_at", IsoTime.format(leaseEndsAt)));
            case Ack.Settled(var id, var state) ->
                    Told.of(
                            id.shortForm() + " is " + state + "\n",
                            Json.obj().put("id", id.text()).put("state", state.toString()));
            case Ack.Lost(var id, var reason) ->
                    throw new ProblemException(
                                    Code.CLAIM_LOST,
                                    id.shortForm() + " is not yours any more: " + reason)
                            .hint("nothing was changed; find with trace says what happened to it");
            case Ack.Withheld(var lock, var reason, var inbox, var keptIn) -> {
                if (keptIn.isEmpty()) {
                    throw HiveTools.withheld(lock, inbox + ": " + reason);
                }
                yield kept("under lock " + lock.kind() + ": " + reason);
            }
            case Ack.Hidden(var why, var fate) ->
                    switch (fate) {
                        case Ack.Fate.Kept _ -> kept(why.verdict().reason());
                        case Ack.Fate.NotNeeded _ ->
                                Told.of(
                                        "nothing to renew: no lease ends while the hive is"
                                                + " locked\n",
                                        Json.obj().put("state", "active"));
                        case Ack.Fate.NotSaid _, Ack.Fate.NotKept _ ->
                                throw HiveTools.withheld(
                                        why.verdict().lock(), why.verdict().reason());
                    };
        };
    }

    private static Told kept(String why) {
        return Told.of(
                "kept, and applied when the lock is lifted; do not say it again: "
                        + ShownText.line(why)
                        + "\n",
                Json.obj().put("state", "kept").put("reason", ShownText.line(why)));
    }

    /// The answer to the sender.
    private static final class SentReply implements Reply {

        private final String text;
        private @Nullable Sent sent;

        SentReply(String text) {
            this.text = text;
        }

        @Override
        public Draft draft() throws IOException {
            return new Draft(SendTool.bytes(text));
        }

        @Override
        public void sent(Sent result) {
            sent = result;
            if (result instanceof Sent.Incomplete) {
                Told told = SendTool.told(result);
                if (told.isError()) {
                    throw new ProblemException(
                                    Code.REFUSED, "the reply was not sent: " + told.text().strip())
                            .hint("the claim is still yours; say done again");
                }
            }
        }

        /// What became of the reply, below what became of the claim.
        Told below(Told told) {
            Sent result = sent;
            if (result == null) {
                return told;
            }
            Told reply = SendTool.told(result);
            return new Told(
                    told.text() + "reply " + reply.text(),
                    told.json().put("reply", reply.json()),
                    told.isError(),
                    told.unsent());
        }
    }
}
