package dev.pheromone.session.mail;

import dev.pheromone.file.remote.Outbox;
import dev.pheromone.file.remote.RemoteRecords;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OtherTransport;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Sends on what waits in the outboxes, in rounds, for as long as its owner stays.
public final class Forwarding implements AutoCloseable {

    private final Caller caller;
    private final OpenHive hive;
    private final Outbox.Pace pace;
    private final Map<String, OtherTransport> transports = new HashMap<>();

    /// @param pace whether mail is sent again that a broker has had for a while already
    public Forwarding(Caller caller, OpenHive hive, Outbox.Pace pace) {
        this.caller = caller;
        this.hive = hive;
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
        return remote().outboxes().contains(only)
                ? List.of(forward(only, remote().outbox(only)))
                : List.of();
    }

    /// Tries every outbox that has mail.
    public List<Round> round() throws IOException {
        List<Round> rounds = new ArrayList<>();
        for (String name : remote().outboxes()) {
            rounds.add(forward(name, remote().outbox(name)));
        }
        return rounds;
    }

    private RemoteRecords remote() {
        return hive.transport().remote();
    }

    private Round forward(String name, Outbox outbox) throws IOException {
        int ended = 0;
        try {
            ended = outbox.endExpired();
            OtherTransport transport = transports.get(name);
            if (transport == null) {
                transport = hive.other(name);
                transports.put(name, transport);
            }
            Outbox.Forwarded done = outbox.forward(transport.carrier(), Integer.MAX_VALUE, pace);
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
        } catch (ProblemException e) {
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
        for (OtherTransport transport : transports.values()) {
            try {
                transport.close();
            } catch (IOException e) {
                caller.warn(transport.title() + ": " + FileProblem.describe(e));
            }
        }
    }
}
