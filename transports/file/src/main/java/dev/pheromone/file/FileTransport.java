package dev.pheromone.file;

import dev.pheromone.Capability;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.PublicCheck;
import dev.pheromone.Receipt;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.config.HiveFiles;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.Boot;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.admission.Delays;
import dev.pheromone.file.admission.RefusedSender;
import dev.pheromone.file.admission.Throttled;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.inbox.FileInbox;
import dev.pheromone.file.inbox.MutedSenders;
import dev.pheromone.file.inbox.Picking;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.file.remote.RemoteRecords;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.KeptSettings;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;
import dev.pheromone.rse.RseLog;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A hive on this machine's disk, open for use.
///
/// Safe for use by several threads; any number of processes may have the same hive open.
public final class FileTransport implements Transport {

    private final Disk files;
    private final HiveLayout layout;
    private final RseLog log;
    private final Actor self;
    private final InstantSource clock;
    private final Opening opening;
    private final Delays delays;
    private final GuardReports reports;
    private final Posting posting;
    private final Map<Domain, FileInbox> inboxes = new HashMap<>();
    private volatile Arrivals arrivals = (_, _) -> {};

    /// Null as long as a lock kept it from being opened.
    private volatile @Nullable HiveParts hive;

    private KeptSettings kept = KeptSettings.NONE;

    FileTransport(HiveParts hive, RseLog log, Delays delays, PublicCheck check) {
        this(hive.files, hive.layout, log, hive.self, hive.clock, () -> hive, delays, check);
        this.hive = hive;
    }

    private FileTransport(
            Disk files,
            HiveLayout layout,
            RseLog log,
            Actor self,
            InstantSource clock,
            Opening opening,
            Delays delays,
            PublicCheck publicCheck) {
        this.files = files;
        this.layout = layout;
        this.log = log;
        this.self = self;
        this.clock = clock;
        this.opening = opening;
        this.delays = delays;
        this.reports = new GuardReports(files, layout, log, self);
        this.posting = new Posting(this, files, layout, self, reports, publicCheck, clock);
    }

    /// Opens the hive at `layout`, in the name of `self`, with its configuration and trusted keys
    /// as they are now; where a lock forbids even that, as they will be when it is lifted. Public
    /// mail is refused.
    ///
    /// @param secrets where the shared secrets among those keys are found
    public static FileTransport open(
            HiveLayout layout, PolicyGuard guard, Actor self, InstantSource clock, Secrets secrets)
            throws IOException, MalformedYamlException {
        return open(layout, guard, self, clock, secrets, PublicCheck.REFUSES_ALL);
    }

    /// Opens the hive at `layout` likewise, for public mail, too.
    ///
    /// @param publicCheck looks through public mail
    public static FileTransport open(
            HiveLayout layout,
            PolicyGuard guard,
            Actor self,
            InstantSource clock,
            Secrets secrets,
            PublicCheck publicCheck)
            throws IOException, MalformedYamlException {
        FileTransport transport =
                open(new LocalDisk(), layout, guard, self, clock, secrets, publicCheck);
        transport.completeLogAfterBoot();
        return transport;
    }

    /// As above, on `disk`: for tests of what is built on a hive, with a disk that fails or
    /// forgets.
    public static FileTransport open(
            Disk disk,
            HiveLayout layout,
            PolicyGuard guard,
            Actor self,
            InstantSource clock,
            Secrets secrets,
            PublicCheck publicCheck)
            throws IOException, MalformedYamlException {
        GuardedFiles files = new GuardedFiles(disk, guard);
        RseLog log = JsonlRseLog.of(files, layout);
        Opening opening = Opening.of(files, layout, secrets, log, self, clock);
        FileTransport transport =
                new FileTransport(
                        files, layout, log, self, clock, opening, Delays::hold, publicCheck);
        try {
            HiveParts open = opening.open();
            transport.hive = open;
            transport.lookAtClock(open);
        } catch (WithheldException e) {
            // Mail can still be sent into the embargo, written as the hive would have it.
            transport.kept = KeptSettings.read(layout, guard);
        }
        return transport;
    }

    HiveParts hive() throws IOException {
        HiveParts open = hive;
        if (open == null) {
            try {
                open = opening.open();
            } catch (MalformedYamlException e) {
                throw new IOException(e.getMessage(), e);
            }
            hive = open;
            reports.free(clock.instant());
            lookAtClock(open);
        }
        return open;
    }

    /// Before anything else is written: a sign of life by a wrong clock would vouch for that clock.
    private void lookAtClock(HiveParts open) {
        try {
            boolean _ = open.copies.clockDoubt().check(clock.instant()).isPresent();
        } catch (IOException e) {
            // Whoever ends mail looks again.
        }
    }

    @Nullable AddressBook addressesIfOpen() {
        HiveParts open = hive;
        return open == null ? null : open.addresses;
    }

    /// All there are: files on a disk of this machine, and processes that can be seen to live, keep
    /// every promise.
    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    /// Local: files of this machine. Nothing is ever beyond its sender's consent.
    @Override
    public Reach reach() {
        return Reach.LOCAL;
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return told(envelope, posting.send(envelope, null, MissingInbox.FAILS, delays));
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return told(envelope, posting.send(envelope, inbox, MissingInbox.FAILS, delays));
    }

    /// Sends as [#send(Envelope)], and makes the inboxes that are missing if that was asked for.
    /// What a lock keeps in the embargo keeps that, too.
    public Receipt send(Envelope envelope, MissingInbox missing)
            throws IOException, NoSuchInboxException {
        return told(envelope, posting.send(envelope, null, missing, delays));
    }

    private Receipt told(Envelope envelope, Receipt receipt) {
        arrivals.delivered(envelope, receipt);
        return receipt;
    }

    /// From now on `heard` hears of mail that this transport delivers.
    public void onArrival(Arrivals heard) {
        arrivals = heard;
    }

    /// What looks through public mail here, for other transports of whoever opened this hive.
    public PublicCheck publicCheck() {
        return posting.publicCheck();
    }

    /// What the hive keeps of its dealings with other transports.
    public RemoteRecords remote() {
        return new RemoteRecords(files, layout, () -> hive().outboxes, posting.advisory(), clock);
    }

    /// What waits in the embargo, and what may come home from it.
    public EmbargoRecords embargo() {
        return new EmbargoRecords(
                posting, files, layout, self, reports, clock, this::hive, this::told);
    }

    /// What keeps this hive in order.
    public Upkeep upkeep() {
        return new Upkeep(this::hive, layout, reports, clock);
    }

    /// Tells that a lock kept its caller from something, unless that was told just now.
    public void report(WithheldException e) {
        reports.withheld(e, Mode.BLOCKED, clock.instant());
    }

    @Override
    public List<Domain> domains() throws IOException {
        return hive().addresses.domains();
    }

    /// Whether there is this inbox. In a hive with many, this is quicker than [#domains].
    public boolean hasInbox(Domain inbox) throws IOException {
        return hive().addresses.exists(inbox);
    }

    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        return catalog().open(id);
    }

    /// The copy of an envelope in one inbox, however much else there is; empty if there is none.
    public Optional<Found> find(EnvelopeId id, Domain inbox) throws IOException {
        return catalog().open(id, inbox);
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        return find(id, inbox).map(Found::state);
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        HiveParts open = hive();
        if (!open.addresses.exists(domain)) {
            throw new NoSuchInboxException(domain.address(), domains());
        }
        synchronized (inboxes) {
            return inboxes.computeIfAbsent(domain, open.inboxes::open);
        }
    }

    /// Takes back what is overdue in an inbox, and brings what no mute keeps any more, as a
    /// selection does first: so what waits there is what a selection would find. Withheld if the
    /// log is locked: what may not be told is not done. A disk that can't be written, such as a
    /// read-only one, is a trouble: what waits can be seen all the same.
    public void reap(Domain domain) throws IOException {
        hive().retrieval.inPassing(domain, clock.instant());
    }

    /// An inbox as people use it, who pick.
    public Picking picking(Domain domain) throws IOException {
        return new Picking(hive().inboxes, domain);
    }

    public MutedSenders muted() throws IOException {
        return hive().muted;
    }

    /// The senders that an inbox refused in the last minute or so for their own doing.
    public List<RefusedSender> refused(Domain domain) throws IOException {
        return hive().refusals.recent(domain, clock.instant());
    }

    /// Why and since when an inbox is under backpressure, as far as somebody has noticed; a look,
    /// which changes nothing.
    public Optional<Throttled> throttled(Domain domain) throws IOException {
        return hive().admission.pressure(domain).marked();
    }

    @Override
    public void createInbox(Domain domain) throws IOException {
        files.createFolder(layout.drafts(domain));
    }

    /// Adds the events that the machine's last end took from the log, unless somebody has: before
    /// the first answer.
    private void completeLogAfterBoot() {
        Optional<Boot> boot = isWithheld() ? Optional.empty() : Boot.last(new LocalDisk());
        if (boot.isPresent()) {
            try {
                completeLog(boot.get());
            } catch (IOException e) {
                // A lock, or a disk that is full or read-only: the next one to open this hive
                // tries.
            }
        }
    }

    void completeLog(Boot boot) throws IOException {
        hive().recovery.get().completeLog(boot);
    }

    public Catalog catalog() throws IOException {
        return hive().catalog;
    }

    /// The configuration when the hive was opened; before that, when it was locked.
    public HiveConfig config() {
        HiveParts open = hive;
        return open == null ? kept.config() : open.config;
    }

    /// The keys that were trusted when the hive was opened; before that, when it was locked.
    public TrustList trust() {
        HiveParts open = hive;
        return open == null ? kept.trust() : open.trust;
    }

    /// Whether a lock kept the hive from being opened so far.
    public boolean isWithheld() {
        return hive == null;
    }

    /// Trusts `key` as it is now, in the place of an earlier one of its name; on disk when this
    /// returns, and counted from the next opening on.
    public void trust(Key key) throws IOException, MalformedYamlException {
        new HiveFiles(files, layout).trust(key);
    }

    /// As [#trust(Key)], for a passkey.
    public void trust(Passkey passkey) throws IOException, MalformedYamlException {
        new HiveFiles(files, layout).trust(passkey);
    }

    public HiveLayout layout() {
        return layout;
    }

    public RseLog log() {
        return log;
    }

    /// Troubles that changed nothing about what was done, such as an event log on a full disk.
    public List<String> problems() {
        HiveParts open = hive;
        return open == null ? List.of() : open.copies.journal().problems();
    }

    @Override
    public void close() throws IOException {
        synchronized (inboxes) {
            for (FileInbox inbox : inboxes.values()) {
                inbox.close();
            }
        }
        HiveParts open = hive;
        if (open != null) {
            open.attendance.close();
            open.reports.close();
        }
        reports.close();
        log.close();
    }
}
