package dev.pheromone.file;

import dev.pheromone.PublicCheck;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.admission.Delays;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.file.embargo.Advisory;
import dev.pheromone.file.embargo.EmbargoInboxes;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.embargo.Onward;
import dev.pheromone.file.embargo.PermittedMail;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// How mail gets into a hive: into its inboxes, or into the embargo where a lock forbids that, and
/// from there when a person releases it.
final class Posting {

    private final FileTransport transport;
    private final Disk files;
    private final HiveLayout layout;
    private final Actor self;
    private final GuardReports reports;
    private final PublicCheck publicCheck;
    private final EmbargoInboxes embargo;
    private final InstantSource clock;

    Posting(
            FileTransport transport,
            Disk files,
            HiveLayout layout,
            Actor self,
            GuardReports reports,
            PublicCheck publicCheck,
            InstantSource clock) {
        this.transport = transport;
        this.files = files;
        this.layout = layout;
        this.self = self;
        this.reports = reports;
        this.publicCheck = publicCheck;
        this.embargo = new EmbargoInboxes(files, layout);
        this.clock = clock;
    }

    EmbargoInboxes embargo() {
        return embargo;
    }

    PublicCheck publicCheck() {
        return publicCheck;
    }

    Advisory advisory() {
        return new Advisory(embargo, reports, clock);
    }

    /// Sends `envelope`, or keeps it in the embargo with what is to be made for it.
    ///
    /// @param only the one inbox that gets a copy; null for all that it is addressed to
    Receipt send(Envelope envelope, @Nullable Domain only, MissingInbox missing, Delays delays)
            throws IOException, NoSuchInboxException {
        Onward onward = Onward.here(only, missing);
        Optional<SendResult.NotPublic> refusal = publicCheck.refusal(envelope);
        if (refusal.isPresent()) {
            return Receipt.forAll(envelope, onward.targets(envelope), refusal.get());
        }
        try {
            make(envelope, missing);
            Receipt receipt = transport.hive().dispatch.send(envelope, only, delays);
            reports.free(clock.instant());
            return receipt;
        } catch (WithheldException e) {
            return permitted(envelope, only).orElseGet(() -> advisory().keep(envelope, onward, e));
        }
    }

    private void make(Envelope envelope, MissingInbox missing) throws IOException {
        for (Address address : envelope.to()) {
            if (missing.makes(address)) {
                transport.createInbox(address.domain());
            }
        }
    }

    /// Sends what a person lets pass in spite of a lock; empty if nobody does.
    private Optional<Receipt> permitted(Envelope envelope, @Nullable Domain only) {
        return new PermittedMail(files, layout, reports)
                .deliver(envelope, only, transport.addressesIfOpen(), clock.instant());
    }

    /// Sends what waited in the embargo. What arrived, now or before, is moved to the embargo's
    /// archive; anything else stays.
    Receipt release(KeptMail mail) throws IOException, NoSuchInboxException {
        Envelope envelope = mail.envelope();
        if (envelope == null) {
            throw new IllegalArgumentException(mail.location() + ": " + mail.problem());
        }
        Optional<SendResult.NotPublic> refusal = publicCheck.refusal(envelope);
        if (refusal.isPresent()) {
            return Receipt.forAll(envelope, mail.onward().targets(envelope), refusal.get());
        }
        Receipt receipt;
        try {
            receipt = sendReleased(mail, envelope);
        } catch (WithheldException e) {
            receipt = permitted(envelope, mail.onward().only()).orElseThrow(() -> e);
        }
        if (receipt.copies().stream().allMatch(Receipt.Copy::isTaken)) {
            Instant now = clock.instant();
            try {
                String to = embargo.archive(mail, now);
                reports.released(Journal.releaseEvent(envelope, self, mail.location(), to, now));
            } catch (NoSuchFileException e) {
                // Somebody else released it at the same moment, and told so.
            }
        }
        return receipt;
    }

    private Receipt sendReleased(KeptMail mail, Envelope envelope)
            throws IOException, NoSuchInboxException {
        Onward onward = mail.onward();
        if (onward.transport() == null) {
            make(envelope, onward.missing());
            return transport.hive().dispatch.sendAtOnce(envelope, onward.only());
        }
        Outbox outbox = transport.remote().outbox(onward.transport());
        return switch (onward.missing()) {
            case FAILS -> outbox.keep(envelope, "released");
            case IS_MADE -> outbox.keepToCreate(envelope, "released");
        };
    }
}
