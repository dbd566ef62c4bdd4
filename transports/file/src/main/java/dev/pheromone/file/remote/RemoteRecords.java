package dev.pheromone.file.remote;

import dev.pheromone.Receipt;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.embargo.Advisory;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.embargo.Onward;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// What a hive keeps of its dealings with other transports: mail that waits for them, claims of
/// mail there, and the trail of bridges. It knows no transport itself.
public final class RemoteRecords {

    private final Disk files;
    private final HiveLayout layout;
    private final Source source;
    private final Advisory advisory;
    private final InstantSource clock;

    /// The outboxes, once no lock keeps the hive from being opened.
    public interface Source {
        Outboxes outboxes() throws IOException;
    }

    public RemoteRecords(
            Disk files, HiveLayout layout, Source source, Advisory advisory, InstantSource clock) {
        this.files = files;
        this.layout = layout;
        this.source = source;
        this.advisory = advisory;
        this.clock = clock;
    }

    /// Fails with a `WithheldException` while a lock forbids to write what happens: then nothing is
    /// to go over a network either.
    public void requireFree() throws IOException {
        files.require(layout.log(), Access.WRITE);
    }

    /// Keeps in the embargo what a lock forbids to send by `transport`, until a person releases it.
    public Receipt keep(
            String transport, Envelope envelope, MissingInbox missing, WithheldException e) {
        return advisory.keep(envelope, Onward.by(transport, missing), e);
    }

    /// What waits to be sent over the transport of this name.
    public Outbox outbox(String transport) throws IOException {
        return source.outboxes().of(transport);
    }

    /// The transports that something waits for.
    public List<String> outboxes() throws IOException {
        List<String> names = new ArrayList<>();
        for (Path folder : files.list(layout.outboxes())) {
            String name = String.valueOf(folder.getFileName());
            if (!name.startsWith(".")
                    && !name.equals(HiveLayout.PARKED_FOLDER)
                    && outbox(name).hasMail()) {
                names.add(name);
            }
        }
        names.sort(null);
        return names;
    }

    /// The claims that this hive holds on the transport of this name.
    public HeldClaims held(String transport) {
        return new HeldClaims(files, layout, transport, clock);
    }

    /// What the event log is told of the transport of this name.
    public RemoteJournal journal(String transport) throws IOException {
        return source.outboxes().journal(transport);
    }

    /// What bridges remember of what they carried.
    public BridgeTrail trail() {
        return new BridgeTrail(files, layout);
    }
}
