package dev.pheromone.file;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Key;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Reach;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Transport;
import dev.pheromone.TrustList;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseLog;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A hive on this machine's disk, open for use.
///
/// Safe for use by several threads; any number of processes may have the same hive open.
public final class FileTransport implements Transport {

    private final FileHive hive;
    private final RseLog log;
    private final Map<Domain, FileInbox> inboxes = new HashMap<>();

    FileTransport(FileHive hive, RseLog log) {
        this.hive = hive;
        this.log = log;
    }

    /// Opens the hive at `layout`, in the name of `self`, with its configuration and trusted keys
    /// as they are now.
    ///
    /// @param secrets where the shared secrets among those keys are found
    public static FileTransport open(
            HiveLayout layout, PolicyGuard guard, Actor self, InstantSource clock, Secrets secrets)
            throws IOException, MalformedYamlException {
        GuardedFiles files = new GuardedFiles(new LocalDisk(), guard);
        HiveFiles settings = new HiveFiles(files, layout);
        RseLog log = new JsonlRseLog(files, layout.log());
        return new FileTransport(
                new FileHive(
                        files,
                        layout,
                        settings.config(),
                        settings.trust(secrets),
                        FileLimits.defaults(),
                        log,
                        self,
                        clock),
                log);
    }

    /// Local: files of this machine. Nothing is ever beyond its sender's consent.
    @Override
    public Reach reach() {
        return Reach.LOCAL;
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        try (Disk.Operation _ = hive.files().begin()) {
            return publish(envelope, hive.now());
        }
    }

    private Receipt publish(Envelope envelope, Instant now)
            throws IOException, NoSuchInboxException {
        Map<Domain, Address> targets;
        try {
            targets = hive.addresses().resolve(envelope.to());
        } catch (WithheldException e) {
            return withheld(envelope, e);
        }
        hive.journal().dropped(envelope, now);
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Map.Entry<Domain, Address> target : targets.entrySet()) {
            copies.add(
                    new Receipt.Copy(
                            target.getValue(),
                            target.getKey(),
                            send(envelope, target.getKey(), now)));
        }
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    private SendResult send(Envelope envelope, Domain inbox, Instant now) {
        try {
            SendResult result = hive.drop().publish(inbox, envelope);
            switch (result) {
                case SendResult.Delivered(var location) ->
                        hive.journal().emitted(envelope, inbox, location, now);
                case SendResult.Unconfirmed(var location, var reason) ->
                        hive.journal().emitted(envelope, inbox, location, now);
                default -> {}
            }
            return result;
        } catch (WithheldException e) {
            return new SendResult.Withheld(e.verdict().lock(), e.verdict().reason(), "");
        } catch (IOException e) {
            return new SendResult.Failed(e);
        }
    }

    /// Under a lock not even the names of inboxes are known: each address stands for its usual one.
    private static Receipt withheld(Envelope envelope, WithheldException e) {
        List<Receipt.Copy> copies =
                envelope.to().stream()
                        .map(address ->
                                new Receipt.Copy(
                                        address,
                                        address.domain(),
                                        new SendResult.Withheld(
                                                e.verdict().lock(), e.verdict().reason(), "")))
                        .toList();
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    @Override
    public List<Domain> domains() throws IOException {
        return hive.addresses().domains();
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        if (!hive.addresses().exists(domain)) {
            throw new NoSuchInboxException(domain.address(), domains());
        }
        synchronized (inboxes) {
            return inboxes.computeIfAbsent(domain, d -> new FileInbox(hive, d));
        }
    }

    /// Takes back what is overdue in an inbox, as a selection does first: so what waits there is
    /// what a selection would find.
    public void reap(Domain domain) throws IOException {
        hive.reaper().reap(domain, hive.now());
    }

    /// What a selection in an inbox would take now, without taking it; empty if nothing is ready.
    public Optional<Preview> preview(Domain domain) throws IOException {
        try (FileInbox inbox = new FileInbox(hive, domain)) {
            return inbox.preview();
        }
    }

    /// Makes an inbox, unless there is one.
    public void createInbox(Domain domain) throws IOException {
        hive.files().createFolder(hive.layout().drafts(domain));
    }

    /// Archives what is expired in all inboxes; for the person who approves it. Returns how many.
    public int archiveExpired() throws IOException {
        int count = 0;
        for (Domain domain : domains()) {
            try (FileInbox inbox = new FileInbox(hive, domain)) {
                count += inbox.expireAll();
            }
        }
        return count;
    }

    /// Finishes what processes that died left half done, and adds the events that they did not
    /// write.
    public List<Finding> recover(Recovery.Extent extent) throws IOException {
        return new Recovery(hive, log).run(extent);
    }

    /// What [#recover] would mend, without a change.
    public List<Finding> recoverable(Recovery.Extent extent) throws IOException {
        return new Recovery(hive, log).look(extent);
    }

    public Catalog catalog() {
        return new Catalog(hive);
    }

    public HiveConfig config() {
        return hive.config();
    }

    /// The keys that were trusted when the hive was opened.
    public TrustList trust() {
        return hive.trust();
    }

    /// Trusts `key` as it is now, in the place of an earlier one of its name; on disk when this
    /// returns, and counted from the next opening on.
    public void trust(Key key) throws IOException, MalformedYamlException {
        new HiveFiles(hive.files(), hive.layout()).trust(key);
    }

    public HiveLayout layout() {
        return hive.layout();
    }

    public RseLog log() {
        return log;
    }

    /// Troubles that changed nothing about what was done: an event log that can't be written, a
    /// claim of somebody else's that can't be taken back.
    public List<String> problems() {
        return hive.journal().problems();
    }

    @Override
    public void close() throws IOException {
        synchronized (inboxes) {
            for (FileInbox inbox : inboxes.values()) {
                inbox.close();
            }
        }
        hive.attendance().close();
        log.close();
    }
}
