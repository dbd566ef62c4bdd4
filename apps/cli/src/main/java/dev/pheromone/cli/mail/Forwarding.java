package dev.pheromone.cli.mail;

import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Via;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.FileProblem;
import dev.pheromone.session.ProblemException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Sends on what waits in the outboxes, in rounds, for as long as its owner stays.
public final class Forwarding implements AutoCloseable {

    private final Invocation call;
    private final FileTransport local;
    private final Outbox.Pace pace;
    private final Map<String, Via> ways = new HashMap<>();

    /// @param pace whether mail is sent again that a broker has had for a while already
    public Forwarding(Invocation call, FileTransport local, Outbox.Pace pace) {
        this.call = call;
        this.local = local;
        this.pace = pace;
    }

    /// What came of one outbox.
    ///
    /// @param trouble why the rest waits; empty if nothing does
    public record Round(String transport, int sent, int ended, int left, String trouble) {

        public boolean didAnything() {
            return sent + ended > 0;
        }

        /// In words: `team: sent 2, 1 ended, 3 wait`.
        public String text() {
            return "sent %d that waited for %s%s%s"
                    .formatted(
                            sent,
                            transport,
                            ended == 0 ? "" : ", " + ended + " ended in the archive",
                            left == 0 ? "" : ", " + left + " wait on");
        }
    }

    /// Tries the outbox of one transport, if it has mail.
    public List<Round> round(String only) throws IOException {
        return local.elsewhere().outboxes().contains(only)
                ? List.of(forward(only, local.elsewhere().outbox(only)))
                : List.of();
    }

    /// Tries every outbox that has mail.
    public List<Round> round() throws IOException {
        List<Round> rounds = new ArrayList<>();
        for (String name : local.elsewhere().outboxes()) {
            rounds.add(forward(name, local.elsewhere().outbox(name)));
        }
        return rounds;
    }

    private Round forward(String name, Outbox outbox) throws IOException {
        int ended = 0;
        try {
            ended = outbox.endExpired();
            Via way = ways.get(name);
            if (way == null) {
                way = new Via(call, local, name);
                ways.put(name, way);
            }
            Outbox.Forwarded done = outbox.forward(way.carrier(), Integer.MAX_VALUE, pace);
            IOException trouble = done.trouble();
            return new Round(
                    name,
                    done.sent(),
                    ended + done.ended(),
                    done.left(),
                    trouble != null
                            ? FileProblem.describe(trouble)
                            : done.left() == 0 ? "" : "it is not taken yet");
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            return new Round(name, 0, ended, left(outbox), FileProblem.describe(e));
        } catch (CliException | ProblemException e) {
            // No such transport any more, or one that can't be used as it is written.
            return new Round(name, 0, ended, left(outbox), String.valueOf(e.getMessage()));
        }
    }

    /// How many wait; at least one in an outbox that can't be read.
    private static int left(Outbox outbox) throws WithheldException {
        try {
            return outbox.count();
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            return 1;
        }
    }

    @Override
    public void close() {
        for (Via way : ways.values()) {
            try {
                way.close();
            } catch (IOException e) {
                call.warn(way.name() + ": " + FileProblem.describe(e));
            }
        }
    }
}
