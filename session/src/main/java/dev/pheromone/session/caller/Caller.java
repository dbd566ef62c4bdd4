package dev.pheromone.session.caller;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Reach;
import dev.pheromone.session.passkey.Page;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;

/// Whoever asks a session for something, as the door knows them: the command line, a server.
public interface Caller {

    /// Who asks, and how that is known.
    ///
    /// @throws ProblemException if what names the actor is no name
    Identity identity();

    InstantSource clock();

    /// The caller's keys, approvals and rules.
    UserFolder folder();

    /// The name of the account that the caller uses on this machine.
    String user();

    /// The home folder of that account.
    Path home();

    /// How far what the caller is shown gets; null for a caller at this machine, who may see all.
    /// Of their own mail such a caller sees all, too.
    default @Nullable Reach reach() {
        return null;
    }

    /// The page that stands between a person and this call; null if there is none. Nothing but a
    /// passkey proves a person there.
    default @Nullable Page page() {
        return null;
    }

    /// The bytes of a file of the caller's, at most `bytesMax`. Fails if it is locked.
    byte[] read(Path file, int bytesMax) throws IOException;

    /// The bytes of a file that nobody but the caller may read; any other is refused. Fails if it
    /// is locked.
    byte[] readSecret(Path file) throws IOException;

    /// Tells the caller something beside the answer.
    void note(String text);

    /// Tells the caller of something that is not as it should be, and did not stop the request.
    void warn(String text);

    /// Begins to wake the idle session of `actor`, for whom mail came into the hive at `root`. That
    /// takes seconds, and nobody waits for it; a caller without a way to do it leaves the mail to
    /// be found.
    default void wake(Path root, Actor actor) {}

    default Instant now() {
        return clock().instant();
    }

    default Actor actor() {
        return identity().actor();
    }
}
