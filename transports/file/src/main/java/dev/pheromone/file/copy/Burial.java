package dev.pheromone.file.copy;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Why;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;

/// Archives files that end without anybody's work on them: expired mail, conflicting mail, and what
/// is no mail. The history and the event log say why.
public final class Burial {

    private final Disk files;
    private final HiveLayout layout;
    private final Inspector inspector;
    private final History history;
    private final Journal journal;
    private final Aside asides;
    private final Archive archive;

    Burial(
            Disk files,
            HiveLayout layout,
            Inspector inspector,
            History history,
            Journal journal,
            Aside asides) {
        this.files = files;
        this.layout = layout;
        this.inspector = inspector;
        this.history = history;
        this.journal = journal;
        this.asides = asides;
        this.archive = new Archive(files, layout);
    }

    /// Archives the envelope in `file`, which ended in `state`.
    public void end(
            Domain domain, State state, Header header, Path file, String reason, Instant now)
            throws IOException {
        String id = header.id().text();
        archive.store(domain, state, id, file, now);
        history.archived(domain, id, state, reason, now);
        journal.ended(domain, id, header, state, reason, now);
    }

    /// Archives expired mail of the inbox. A file that can't be archived is a trouble, and stays.
    public void expire(Domain domain, Entry entry, Instant now) throws IOException {
        EnvelopeId id = entry.header().id();
        String reason = Why.EXPIRED.text(entry.header().ttl());
        try (Disk.Operation _ = files.begin()) {
            Path aside = asides.take(domain, entry.file(), id, State.EXPIRED, now);
            if (isOtherMail(aside, entry, now)) {
                asides.putBack(domain, aside, now);
            } else if (!asides.endLeftover(domain, aside, id, now)) {
                end(domain, State.EXPIRED, entry.header(), aside, reason, now);
            }
        } catch (NoSuchFileException e) {
            // Somebody took it or archived it just now.
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            journal.trouble(layout.nameOf(entry.file()), e);
        }
    }

    /// Whether the file is not the one that was looked at: its writer replaced it at that moment.
    private boolean isOtherMail(Path aside, Entry entry, Instant now) throws IOException {
        return inspector.glance(aside, now) instanceof Sight.Glimpse(var header, var _)
                && !header.equals(entry.header());
    }

    /// Archives a file of the inbox that is no mail. A file that can't be archived is a trouble,
    /// and stays.
    public void bury(Domain domain, Path file, Sight.Bad sight, Instant now) throws IOException {
        String name = sight.id() == null ? "unnamed" : sight.id().text();
        try (Disk.Operation _ = files.begin()) {
            boolean isFile = files.stat(file).filter(Stat::isFile).isPresent();
            Path aside = isFile ? asides.take(domain, file, sight.id(), State.DEAD, now) : file;
            if (isFile && inspector.look(domain, aside, now) instanceof Sight.Mail) {
                asides.putBack(domain, aside, now);
            } else if (!isFile
                    || sight.id() == null
                    || !asides.endLeftover(domain, aside, sight.id(), now)) {
                Path stored = archive.store(domain, State.DEAD, name, aside, now);
                // Without an id, what is known of it goes by its name in the archive.
                String record = sight.id() == null ? stem(stored) : name;
                String reason = sight.reason() + "; it was " + layout.nameOf(file);
                history.archived(domain, record, State.DEAD, reason, now);
                journal.ended(domain, record, null, State.DEAD, reason, now);
            }
        } catch (NoSuchFileException e) {
            // Somebody else cleared it away.
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            journal.trouble(layout.nameOf(file), e);
        }
    }

    private static String stem(Path stored) {
        String name = String.valueOf(stored.getFileName());
        return name.substring(0, name.length() - HiveLayout.MAIL_SUFFIX.length());
    }
}
