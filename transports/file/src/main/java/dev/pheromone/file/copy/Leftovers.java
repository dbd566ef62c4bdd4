package dev.pheromone.file.copy;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// Tells which name of a copy counts when a power cut has left it two. A file system may bring back
/// the old name of a file that was renamed shortly before (btrfs does), so that one file has names
/// in two rooms of the hive. Such a file is one copy, and its later state counts: waiting, claimed,
/// over. Every other name is a leftover.
///
/// While no power is cut a rename is atomic, so that no copy has two such names. A look at two
/// rooms is not atomic: a name that was found there may be gone when the leftover is removed, but
/// it is never back under the same claim.
public final class Leftovers {

    private final Disk files;
    private final HiveLayout layout;
    private final History history;
    private final Archive archive;

    public Leftovers(Disk files, HiveLayout layout, History history) {
        this.files = files;
        this.layout = layout;
        this.history = history;
        this.archive = new Archive(files, layout);
    }

    /// Whether the copy in `file`, which waits in the inbox or was taken from there, is claimed or
    /// archived under another name.
    public boolean hasGoneOn(Domain domain, EnvelopeId id, Path file) throws IOException {
        Optional<Stat> stat = files.stat(file);
        if (stat.isEmpty() || stat.get().links() == 1) {
            return false;
        }
        for (ClaimName claim : ClaimName.list(files, layout.active(domain))) {
            if (claim.id().equals(id)
                    && isSameFile(path(domain, claim), stat.get())
                    && !cameBack(domain, claim)) {
                return true;
            }
        }
        return archive.has(domain, id.text(), file);
    }

    /// Whether the claim's name came back after the claim had ended: its copy is on its way back,
    /// waits again, has a later claim, or is archived.
    public boolean isLeftover(Domain domain, ClaimName claim) throws IOException {
        Path file = path(domain, claim);
        Optional<Stat> found = files.stat(file);
        if (found.isEmpty() || !hasNamesBesideItsMark(domain, claim, found.get())) {
            return false;
        }
        Stat stat = found.get();
        for (ReturnName back : ReturnName.list(files, layout.returning(domain))) {
            if (back.claim().equals(claim)
                    && isSameFile(layout.returning(domain).resolve(back.fileName()), stat)) {
                return true;
            }
        }
        boolean cameBack = cameBack(domain, claim);
        return (cameBack && isSameFile(layout.mail(domain, claim.id()), stat))
                || hasLaterClaim(domain, claim, stat, cameBack)
                || archive.has(domain, claim.id().text(), file);
    }

    private boolean hasNamesBesideItsMark(Domain domain, ClaimName claim, Stat stat)
            throws IOException {
        return stat.links() > 2
                || (stat.links() == 2
                        && !isSameFile(layout.running(domain).resolve(claim.id().text()), stat));
    }

    /// Of two claims on one file, the one that came back counts for less, then the older one.
    private boolean hasLaterClaim(Domain domain, ClaimName claim, Stat stat, boolean cameBack)
            throws IOException {
        for (ClaimName other : ClaimName.list(files, layout.active(domain))) {
            if (other.id().equals(claim.id())
                    && !other.equals(claim)
                    && isSameFile(path(domain, other), stat)
                    && (cameBack == cameBack(domain, other)
                            ? claim.isOlderThan(other)
                            : cameBack)) {
                return true;
            }
        }
        return false;
    }

    /// Whether the history tells that the claim came back, which it does only after the claim's
    /// name has gone.
    boolean cameBack(Domain domain, ClaimName claim) throws IOException {
        return history.read(domain, claim.id().text()).returnOf(claim.token()).isPresent();
    }

    private boolean isSameFile(Path path, Stat stat) throws IOException {
        return files.stat(path).filter(stat::isSameFileAs).isPresent();
    }

    private Path path(Domain domain, ClaimName claim) {
        return layout.active(domain).resolve(claim.fileName());
    }
}
