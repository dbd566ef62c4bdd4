package dev.pheromone.file.copy;

import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.Inspector.Sight;
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
public final class Aside {

    private static final int TAG_LENGTH = 6;

    private final Disk files;
    private final HiveLayout layout;
    private final ClaimedFiles claims;
    private final Inspector inspector;
    private final Leftovers leftovers;
    private final Actor self;

    Aside(
            Disk files,
            HiveLayout layout,
            ClaimedFiles claims,
            Inspector inspector,
            Leftovers leftovers,
            Actor self) {
        this.files = files;
        this.layout = layout;
        this.claims = claims;
        this.inspector = inspector;
        this.leftovers = leftovers;
        this.self = self;
    }

    /// Takes `file` out of the inbox, and says where it is.
    ///
    /// @param state where in the archive it may have to go
    Path take(Domain domain, Path file, @Nullable EnvelopeId id, State state, Instant now)
            throws IOException {
        Path folder = layout.returning(domain);
        // Before anything moves: under a lock on where it goes it stays.
        files.require(folder, Access.ERASE);
        files.require(layout.archive(domain, state, now), Access.WRITE);
        files.require(layout.histories(domain), Access.WRITE);
        ClaimName name =
                new ClaimName(
                        new ClaimToken(
                                id == null ? EnvelopeId.random(now) : id,
                                ClaimToken.NO_ATTEMPT,
                                self,
                                now,
                                Duration.ZERO,
                                "c" + Tags.random(TAG_LENGTH)));
        Path aside = folder.resolve(new ReturnName(name, Reason.RELEASED).fileName());
        files.renameInto(folder, file, aside);
        return aside;
    }

    /// Gives mail that was set aside by mistake its place again. If that is taken, the file is left
    /// to whoever completes returns, and tells a repeated one from a conflict.
    void putBack(Domain domain, Path aside, Instant now) throws IOException {
        if (inspector.glance(aside, now) instanceof Sight.Glimpse(var header, var _)) {
            Path mail = layout.mail(domain, header.id());
            if (new Publication(files).link(aside, mail) == Publication.Result.OTHER) {
                throw new FileAlreadyExistsException(mail.toString());
            }
            files.remove(aside);
        }
    }

    /// The id of the copy that `file` in the inbox is only another name of, if that copy is claimed
    /// or over.
    public Optional<EnvelopeId> leftover(Domain domain, Path file, Instant now) throws IOException {
        return inspector.glance(file, now) instanceof Sight.Glimpse(var header, var stat)
                        && stat.links() > 1
                        && (leftovers.hasGoneOn(domain, header.id(), file)
                                || claims.isFinished(domain, header, file))
                ? Optional.of(header.id())
                : Optional.empty();
    }

    /// Clears away the name in the inbox of a copy that is claimed or over; says whether it was
    /// one. Nothing is removed before the name is ours alone: only then is it sure that the copy
    /// keeps its other name.
    public boolean clearLeftover(Domain domain, Path file, Instant now) throws IOException {
        Optional<EnvelopeId> id = leftover(domain, file, now);
        if (id.isEmpty()) {
            return false;
        }
        try (Disk.Operation _ = files.begin()) {
            Path aside = take(domain, file, id.get(), State.DONE, now);
            if (!endLeftover(domain, aside, id.get(), now)) {
                putBack(domain, aside, now);
                return false;
            }
        } catch (NoSuchFileException e) {
            // Somebody took it or cleared it away just now.
        }
        return true;
    }

    /// Clears away a copy's name in the inbox likewise, and first the names of its claims that a
    /// power cut brought back.
    public boolean clearLeftover(Domain domain, InboxIndex.Entry entry, Instant now)
            throws IOException {
        for (ClaimName claim : claims.list(domain)) {
            if (claim.id().equals(entry.header().id())) {
                boolean _ = claims.removeLeftover(domain, claim);
            }
        }
        return clearLeftover(domain, entry.file(), now);
    }

    /// Ends a name that was set aside, if it is a leftover: it is removed if the copy has its later
    /// name, and archived if only the seen-set tells that the copy is over.
    boolean endLeftover(Domain domain, Path aside, EnvelopeId id, Instant now) throws IOException {
        if (leftovers.hasGoneOn(domain, id, aside)) {
            files.remove(aside);
            return true;
        }
        return claims.archiveFinished(domain, id, aside, now);
    }
}
