package dev.pheromone.file.embargo;

import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Tags;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.Inspector;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Acceptance;
import dev.pheromone.life.Why;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// Where mail waits that a lock keeps out of its inbox. Nothing leaves it by itself: a person
/// releases it.
public final class EmbargoInboxes {

    private static final int TAG_LENGTH = 8;
    private static final String DRAFTS = ".tmp";

    /// Names of mail whose inboxes are to be made before it goes.
    private static final String CREATE = ".create";

    /// What the folder of a transport begins with, and that of what one inbox gets alone; no scheme
    /// of an address is called so.
    private static final String VIA_PREFIX = "via-";

    private static final String ONLY_PREFIX = "only-";

    private final Disk files;
    private final HiveLayout layout;
    private final Inspector inspector;

    public EmbargoInboxes(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
        this.inspector = new Inspector(files, layout, FileLimits.defaults());
    }

    /// Keeps `envelope`, as one file however many it is for; it survives a power cut. Who it is for
    /// and whether they may have it is decided when it is released.
    SendResult keep(Envelope envelope, Onward onward, Verdict.Blocked why) throws IOException {
        Path folder = layout.mirrorInboxes().resolve(folder(envelope, onward));
        Path file = folder.resolve(envelope.id() + HiveLayout.MAIL_SUFFIX);
        try (Disk.Operation _ = files.begin()) {
            requireUnlocked(envelope, file);
            if (onward.missing() == MissingInbox.IS_MADE) {
                // First: the mail must not be there without it.
                note(file, envelope);
            }
            files.createFolder(folder);
            Publication.Result result =
                    new Publication(files)
                            .publish(
                                    envelope.bytes(),
                                    Publication.draft(folder.resolve(DRAFTS), envelope.id() + "."),
                                    file,
                                    inspector.comparison(envelope));
            if (result == Publication.Result.OTHER) {
                return new SendResult.Conflict(
                        layout.nameOf(file), Why.ID_TAKEN.text(envelope.id()));
            }
        } catch (WithheldException e) {
            return new SendResult.Withheld(why.lock(), why.reason(), "");
        }
        return new SendResult.Withheld(why.lock(), why.reason(), layout.nameOf(file));
    }

    private void note(Path mail, Envelope envelope) throws IOException {
        Path note = createNote(mail, envelope);
        if (!files.exists(note)) {
            files.createFolder(mail.resolveSibling(CREATE));
            files.create(note, new byte[0]);
            files.sync(mail.resolveSibling(CREATE));
        }
    }

    private static Path createNote(Path mail, Envelope envelope) {
        return mail.resolveSibling(CREATE).resolve(envelope.id().text());
    }

    /// What the sender of `envelope` wanted and did not get: its inbox, if that is locked, and not
    /// whatever was met on the way there.
    WithheldException wanted(Envelope envelope, Onward onward, WithheldException met) {
        try {
            Domain inbox = onward.targets(envelope).getFirst().domain();
            files.require(layout.inbox(inbox), Access.WRITE);
        } catch (WithheldException inbox) {
            return inbox;
        } catch (IOException e) {
            // Then what was met says more.
        }
        return met;
    }

    /// What is secret in the hive is secret here: an inbox that may not be read has no mirror.
    private void requireUnlocked(Envelope envelope, Path file) throws IOException {
        files.require(file, Access.WRITE);
        for (Address address : envelope.to()) {
            files.require(
                    layout.mirrorInboxes()
                            .resolve(address.domain().name())
                            .resolve(file.getFileName()),
                    Access.WRITE);
        }
    }

    private static String folder(Envelope envelope, Onward onward) {
        if (onward.transport() != null) {
            return VIA_PREFIX + onward.transport();
        }
        if (onward.only() != null) {
            return ONLY_PREFIX + onward.only().name();
        }
        String text = envelope.to().getFirst().toString();
        int end = text.indexOf("://");
        return text.substring(0, end)
                + "-"
                + text.substring(end + "://".length()).toLowerCase(Locale.ROOT);
    }

    /// How many wait, without a look into any of them.
    int count() throws IOException {
        int count = 0;
        for (Path folder : files.list(layout.mirrorInboxes())) {
            for (Path file : files.list(folder)) {
                count += InboxIndex.isMailName(file) ? 1 : 0;
            }
        }
        return count;
    }

    /// What waits, oldest first.
    public List<KeptMail> waiting() throws IOException {
        List<KeptMail> kept = new ArrayList<>();
        for (Path folder : files.list(layout.mirrorInboxes())) {
            for (Path file : files.list(folder)) {
                if (InboxIndex.isMailName(file)) {
                    kept.add(read(folder, file));
                }
            }
        }
        kept.sort(Comparator.comparing(KeptMail::location));
        kept.sort(
                Comparator.comparing(
                        mail -> mail.envelope() == null ? Instant.MIN : mail.envelope().ts()));
        return kept;
    }

    private KeptMail read(Path in, Path file) {
        @Nullable Envelope envelope = null;
        String problem = "";
        try {
            envelope =
                    Envelope.parse(
                            RegularFile.read(files, file, EnvelopeText.ENVELOPE_BYTES_MAX)
                                    .orElse(new byte[0]));
            if (!envelope.hashMatches()) {
                envelope = null;
                problem = Acceptance.WRONG_HASH.text();
            }
        } catch (MalformedEnvelopeException e) {
            problem = String.valueOf(e.getMessage());
        } catch (IOException e) {
            problem = Trouble.reason(e);
        }
        MissingInbox missing =
                envelope != null && files.exists(createNote(file, envelope))
                        ? MissingInbox.IS_MADE
                        : MissingInbox.FAILS;
        String folder = String.valueOf(in.getFileName());
        Onward onward = Onward.here(null, missing);
        try {
            if (folder.startsWith(VIA_PREFIX)) {
                onward = Onward.by(folder.substring(VIA_PREFIX.length()), missing);
            } else if (folder.startsWith(ONLY_PREFIX)) {
                Domain only = Domain.parse(folder.substring(ONLY_PREFIX.length()));
                onward = Onward.here(only, missing);
            }
        } catch (IllegalArgumentException e) {
            envelope = null;
            problem = "its folder names no inbox: " + e.getMessage();
        }
        return new KeptMail(layout.nameOf(file), onward, envelope, problem);
    }

    /// Moves what was released to the embargo's archive, and returns where that is.
    public String archive(KeptMail mail, Instant now) throws IOException {
        Path file = layout.root().resolve(mail.location());
        Path folder =
                layout.mirrorArchive()
                        .resolve(layout.mirrorInboxes().relativize(file).getName(0))
                        .resolve("released")
                        .resolve(HiveLayout.day(now));
        files.createFolder(folder);
        String name = String.valueOf(file.getFileName());
        Path target =
                folder.resolve(
                        "%s.%d.%s%s"
                                .formatted(
                                        name.substring(
                                                0, name.length() - HiveLayout.MAIL_SUFFIX.length()),
                                        now.toEpochMilli(),
                                        Tags.random(TAG_LENGTH),
                                        HiveLayout.MAIL_SUFFIX));
        files.rename(file, target);
        files.sync(folder);
        Envelope envelope = mail.envelope();
        if (envelope != null && mail.onward().missing() == MissingInbox.IS_MADE) {
            files.remove(createNote(file, envelope));
        }
        return layout.nameOf(target);
    }
}
