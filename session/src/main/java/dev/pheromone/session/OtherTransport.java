package dev.pheromone.session;

import dev.pheromone.Inbox;
import dev.pheromone.Receipt;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.remote.HeldClaims;
import dev.pheromone.file.remote.ViaJournal;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Another transport of hive.yaml, by which mail of this hive's people and agents goes and comes:
/// under this hive's locks, and with a record in its log.
public interface OtherTransport extends AutoCloseable {

    /// Opens the transports of a hive by their names.
    interface Opener {

        /// The transport that hive.yaml calls `name`; nothing is connected yet.
        ///
        /// @throws ProblemException if there is none, or it can't be used as it is written
        OtherTransport open(FileTransport local, String name);
    }

    String name();

    /// How far mail goes by this transport.
    Reach reach();

    /// Whether mail is only carried: then there are no inboxes to look into, take from or make.
    boolean isCarrier();

    /// The error of whoever asks a transport that only carries for an inbox.
    ProblemException onlyCarries();

    /// The transport itself, for whatever no lock forbids now.
    Transport transport() throws IOException;

    List<Domain> domains() throws IOException;

    /// Sends `envelope`, or keeps it: in the embargo under a lock, in the outbox if nobody answers.
    Receipt send(Envelope envelope) throws IOException, NoSuchInboxException;

    /// Keeps `envelope` in the outbox until its inboxes can be made there, which `lock` forbids.
    Receipt keepToCreate(Envelope envelope, WithheldException lock)
            throws IOException, NoSuchInboxException;

    /// Waits until the copy in `inbox`, which was carried there, has ended, and returns how; empty
    /// if nobody said so in time.
    Optional<State> awaitEnd(Envelope envelope, Domain inbox, Duration patience) throws IOException;

    Inbox inbox(Domain domain) throws IOException, NoSuchInboxException;

    /// The record of what went and came.
    ViaJournal journal() throws IOException;

    /// The claims that callers of this hive hold there.
    HeldClaims held();

    /// Those of the claims that `said` means: an id, the end of one, or a claim's name.
    List<HeldClaims.Held> heldAs(String said) throws IOException;

    /// The envelope that `said` means, checked by `hive`: one that was taken here, else as the
    /// other side shows it.
    Letter letter(OpenHive hive, String said) throws IOException;

    /// The envelope of this id, as the other side shows it, checked by `hive`.
    Optional<Letter> find(OpenHive hive, EnvelopeId id) throws IOException;

    @Override
    void close() throws IOException;
}
