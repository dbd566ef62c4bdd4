package dev.pheromone.file.copy;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The marks of work in progress: one name for each envelope that somebody works on, a hard link to
/// the claimed file, so that another copy of the same id can't be worked on beside it.
public final class Marks {

    /// How often a mark of work in progress may change hands before a claim gives up on it.
    private static final int BEGIN_TRIES_MAX = 500;

    private static final Duration BEGIN_PAUSE = Duration.ofMillis(10);

    private final Disk files;
    private final HiveLayout layout;

    Marks(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// Marks the claim's envelope as being worked on. Answers with the other claim of the same id
    /// that is in force, if there is one; then this claim is void.
    public Optional<ClaimName> begin(Domain domain, ClaimName claim) throws IOException {
        Path running = runningName(domain, claim);
        for (int tries = 0; ; tries++) {
            try {
                files.linkInto(layout.running(domain), path(domain, claim), running);
                return Optional.empty();
            } catch (FileAlreadyExistsException e) {
                Optional<ClaimName> rival = rival(domain, claim);
                if (rival.isPresent() || isMarked(domain, claim)) {
                    return rival;
                }
                if (tries == BEGIN_TRIES_MAX) {
                    throw e;
                }
                removeIfStale(domain, running);
            }
        }
    }

    /// Lets the process that removes a stale mark get on with it.
    private static void pause() throws IOException {
        try {
            Thread.sleep(BEGIN_PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a claim's turn");
        }
    }

    /// The claim that the mark of work in progress belongs to, if that is not ours. If it is on a
    /// file that two claims share (one returned it slowly, and recovery did so too), the older
    /// claim is the holder.
    private Optional<ClaimName> rival(Domain domain, ClaimName claim) throws IOException {
        boolean ours = isMarked(domain, claim);
        for (ClaimName other : ClaimName.list(files, layout.active(domain))) {
            if (other.id().equals(claim.id())
                    && !other.equals(claim)
                    && isMarked(domain, other)
                    && (!ours || other.isOlderThan(claim))) {
                return Optional.of(other);
            }
        }
        return Optional.empty();
    }

    private boolean isMarked(Domain domain, ClaimName claim) throws IOException {
        return isSameFile(runningName(domain, claim), path(domain, claim));
    }

    /// Removes a mark of work in progress if no claim in force has it; says whether it did.
    public boolean removeIfStale(Domain domain, Path mark) throws IOException {
        return removeMark(domain, mark, () -> isStale(domain, mark));
    }

    /// Whether no claim in force has this mark.
    public boolean isStale(Domain domain, Path mark) throws IOException {
        for (ClaimName claim : ClaimName.list(files, layout.active(domain))) {
            if (isSameFile(mark, path(domain, claim))) {
                return false;
            }
        }
        return true;
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    /// Removes a mark if that is right, under the lock without which nobody removes one: between
    /// the look and the removal it must not become another's.
    private boolean removeMark(Domain domain, Path mark, Condition condition) throws IOException {
        Path lockFile = layout.state(domain).resolve(".running.lock");
        for (int tries = 0; ; tries++) {
            Optional<Closeable> lock =
                    files.in(layout.state(domain), () -> files.tryLock(lockFile));
            if (lock.isPresent()) {
                try (Closeable _ = lock.get()) {
                    if (!condition.holds()) {
                        return false;
                    }
                    files.remove(mark);
                    return true;
                } catch (NoSuchFileException e) {
                    return false;
                }
            }
            if (tries == BEGIN_TRIES_MAX) {
                throw new IOException(layout.nameOf(lockFile) + " is held by another process");
            }
            pause();
        }
    }

    /// Removes the mark of work in progress, if it is on this very file.
    void remove(Domain domain, ClaimName claim, Path file) throws IOException {
        Path running = runningName(domain, claim);
        boolean _ = removeMark(domain, running, () -> isSameFile(running, file));
    }

    boolean isSameFile(Path one, Path other) throws IOException {
        Optional<Stat> stat = files.stat(one);
        return stat.isPresent() && files.stat(other).filter(stat.get()::isSameFileAs).isPresent();
    }

    private Path runningName(Domain domain, ClaimName claim) {
        return layout.running(domain).resolve(claim.id().text());
    }

    private Path path(Domain domain, ClaimName claim) {
        return layout.active(domain).resolve(claim.fileName());
    }
}
