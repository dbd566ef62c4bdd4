package dev.pheromone.file.embargo;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.guard.Permission;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Mail that a person lets into its inboxes in spite of a lock, by an override for each file that
/// it becomes there. Nothing but those files is touched: whether it came before, and whether it may
/// be trusted, is found out by whoever claims it.
public final class PermittedMail {

    private static final int TAG_LENGTH = 8;

    private final Disk files;
    private final HiveLayout layout;
    private final GuardReports reports;

    public PermittedMail(Disk files, HiveLayout layout, GuardReports reports) {
        this.files = files;
        this.layout = layout;
        this.reports = reports;
    }

    /// Puts `envelope` into its inboxes; empty if one of them has no override for it, and then
    /// nothing was touched.
    ///
    /// @param only the one inbox that gets it; null for all that it is addressed to
    /// @param addresses knows who has which inbox; null where a lock hides it, and each address
    ///   stands for its usual one
    public Optional<Receipt> deliver(
            Envelope envelope,
            @Nullable Domain only,
            @Nullable AddressBook addresses,
            Instant now) {
        Map<Domain, Address> targets =
                only == null ? targets(envelope, addresses) : Map.of(only, only.address());
        List<Receipt.Copy> copies = new ArrayList<>();
        try (Disk.Operation _ = files.begin()) {
            Map<Domain, Permission> leaves = new LinkedHashMap<>();
            for (Domain inbox : targets.keySet()) {
                Path mail = layout.mail(inbox, envelope.id());
                Optional<Permission> leave = files.permission(mail, envelope.bytes());
                if (leave.isEmpty()) {
                    return Optional.empty();
                }
                leaves.put(inbox, leave.get());
            }
            targets.forEach((inbox, address) -> {
                SendResult result = put(envelope, inbox);
                copies.add(new Receipt.Copy(address, inbox, result));
                if (result instanceof SendResult.Delivered(var location)) {
                    Permission leave = leaves.get(inbox);
                    if (leave != null) {
                        reports.permitted(leave, location, envelope, inbox, now);
                    }
                }
            });
        }
        return Optional.of(new Receipt(envelope.id(), envelope.hash(), copies));
    }

    private static Map<Domain, Address> targets(
            Envelope envelope, @Nullable AddressBook addresses) {
        if (addresses != null) {
            try {
                return addresses.resolve(envelope.to());
            } catch (IOException | NoSuchInboxException e) {
                // As if it were hidden.
            }
        }
        Map<Domain, Address> targets = new LinkedHashMap<>();
        for (Address address : envelope.to()) {
            targets.putIfAbsent(address.domain(), address);
        }
        return targets;
    }

    private SendResult put(Envelope envelope, Domain inbox) {
        Path mail = layout.mail(inbox, envelope.id());
        // Beside the inbox there may be nothing that a lock lets us write.
        Path draft =
                layout.embargo().resolve(".permitted-" + envelope.id() + Tags.random(TAG_LENGTH));
        try {
            files.createPermitted(draft, mail, envelope.bytes());
            return new SendResult.Delivered(layout.nameOf(mail));
        } catch (FileAlreadyExistsException e) {
            return new SendResult.Conflict(
                    layout.nameOf(mail),
                    "there is a file already, and the lock forbids to compare it");
        } catch (IOException e) {
            return new SendResult.Failed(e);
        }
    }
}
