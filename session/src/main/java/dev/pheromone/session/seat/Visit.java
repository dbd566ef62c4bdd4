package dev.pheromone.session.seat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;

import java.io.IOException;
import java.util.List;

/// A call of a hook by an agent program: what the program says of its session, and what can be
/// found out about it.
///
/// @param session the program's id of the session
/// @param version the program's version; empty if it does not say
/// @param transcript where the program keeps the session; empty if it does not say
/// @param isSubagent whether a subagent made the call: it shares session and transcript
/// @param isHeld whether the stop was held once already
/// @param isAttended whether a person sits before the session
/// @param serves the domains that the session is to be told of
/// @param caller the process that called the hook; 0 if nobody knows
/// @param files reads the end of the transcript
public record Visit(
        Actor actor,
        String harness,
        String session,
        String version,
        String transcript,
        boolean isSubagent,
        boolean isHeld,
        boolean isAttended,
        List<Domain> serves,
        long caller,
        FileEnds files) {

    public Visit {
        serves = List.copyOf(serves);
    }

    /// Reads the ends of files, behind the locks that hold for whoever asks.
    public interface FileEnds {

        /// The last bytes of a regular file, at most `bytesMax`. Fails if it is locked.
        byte[] read(String file, int bytesMax) throws IOException;
    }

    String name() {
        return Seat.nameOf(harness, session);
    }
}
