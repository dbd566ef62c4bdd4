package dev.pheromone.file;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.file.copy.ReturnName;
import dev.pheromone.guard.Access;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Takes a file out of the inbox before it is judged for good, so that the file that is looked at
/// is the file that moves on: its writer may replace it at any moment. Meanwhile the file lies
/// among the claims that are given back, from where it returns to the inbox if this process dies.
final class Aside {

    private static final int TAG_LENGTH = 6;

    private final FileHive hive;
    private final Domain domain;

    Aside(FileHive hive, Domain domain) {
        this.hive = hive;
        this.domain = domain;
    }

    /// Takes `file` out of the inbox, and says where it is.
    ///
    /// @param state where in the archive it may have to go
    Path take(Path file, @Nullable EnvelopeId id, State state, Instant now) throws IOException {
        Path folder = hive.layout().returning(domain);
        // Before anything moves: under a lock on where it goes it stays.
        hive.files().require(folder, Access.ERASE);
        hive.files().require(hive.layout().archive(domain, state, now), Access.WRITE);
        hive.files().require(hive.layout().histories(domain), Access.WRITE);
        ClaimName name =
                new ClaimName(
                        new ClaimToken(
                                id == null ? EnvelopeId.random(now) : id,
                                ClaimToken.NO_ATTEMPT,
                                hive.self(),
                                now,
                                Duration.ZERO,
                                "c" + Tags.random(TAG_LENGTH)));
        Path aside = folder.resolve(new ReturnName(name, Reason.RELEASED).fileName());
        hive.files().renameInto(folder, file, aside);
        return aside;
    }

    /// Gives mail that was set aside by mistake its place again. If that is taken, the file is left
    /// to whoever completes returns, and tells a repeated one from a conflict.
    void putBack(Path aside, Instant now) throws IOException {
        if (hive.inspector().glance(aside, now) instanceof Sight.Glimpse(var header, var _)) {
            Path mail = hive.layout().mail(domain, header.id());
            if (hive.publication().link(aside, mail) == Publication.Result.OTHER) {
                throw new FileAlreadyExistsException(mail.toString());
            }
            hive.files().remove(aside);
        }
    }

    /// The id of the copy that `file` in the inbox is only another name of, if that copy is claimed
    /// or over.
    Optional<EnvelopeId> leftover(Path file, Instant now) throws IOException {
        return hive.inspector().glance(file, now) instanceof Sight.Glimpse(var header, var stat)
                        && stat.links() > 1
                        && (hive.leftovers().hasGoneOn(domain, header.id(), file)
                                || hive.claims().isFinished(domain, header, file))
                ? Optional.of(header.id())
                : Optional.empty();
    }

    /// Clears away the name in the inbox of a copy that is claimed or over; says whether it was
    /// one. Nothing is removed before the name is ours alone: only then is it sure that the copy
    /// keeps its other name.
    boolean clearLeftover(Path file, Instant now) throws IOException {
        Optional<EnvelopeId> id = leftover(file, now);
        if (id.isEmpty()) {
            return false;
        }
        try (Disk.Operation _ = hive.files().begin()) {
            Path aside = take(file, id.get(), State.DONE, now);
            if (!endLeftover(aside, id.get(), now)) {
                putBack(aside, now);
                return false;
            }
        } catch (NoSuchFileException e) {
            // Somebody took it or cleared it away just now.
        }
        return true;
    }

    /// Ends a name that was set aside, if it is a leftover: it is removed if the copy has its later
    /// name, and archived if only the seen-set tells that the copy is over.
    boolean endLeftover(Path aside, EnvelopeId id, Instant now) throws IOException {
        if (hive.leftovers().hasGoneOn(domain, id, aside)) {
            hive.files().remove(aside);
            return true;
        }
        return hive.claims().archiveFinished(domain, id, aside, now);
    }
}
