package dev.pheromone.file.copy;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Where envelopes go when their life is over. Nothing is ever deleted: a file moves here, under a
/// name that is made for it alone, so that it replaces nothing.
public final class Archive {

    /// The final states, each a folder.
    public static final List<State> STATES =
            List.of(State.DONE, State.EXPIRED, State.DEAD, State.DUPLICATE, State.CONFLICT);

    private static final int TAG_LENGTH = 6;

    private final Disk files;
    private final HiveLayout layout;

    public Archive(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// Moves `file` to the folder of its final state, on disk when this returns, and says where it
    /// is.
    ///
    /// @param name what the file's name begins with: the envelope's id if it has one
    public Path store(Domain domain, State state, String name, Path file, Instant now)
            throws IOException {
        Path stored = storeUnforced(domain, state, name, file, now);
        files.sync(Objects.requireNonNull(stored.getParent()));
        return stored;
    }

    /// As [#store], but a power cut may leave the file under its old name, or under both.
    Path storeUnforced(Domain domain, State state, String name, Path file, Instant now)
            throws IOException {
        Path folder = layout.archive(domain, state, now);
        Path target =
                folder.resolve(
                        name
                                + "."
                                + now.toEpochMilli()
                                + "."
                                + Tags.random(TAG_LENGTH)
                                + HiveLayout.MAIL_SUFFIX);
        files.renameInto(folder, file, target);
        return target;
    }

    /// Whether `file` has a name here, so that the name it has elsewhere was only left behind:
    /// nothing gets here but by being moved.
    ///
    /// @param name what its name here begins with
    boolean has(Domain domain, String name, Path file) throws IOException {
        Optional<Stat> stat = files.stat(file).filter(found -> found.links() > 1);
        return stat.isPresent() && countNames(domain, name, file, stat.get()) > 0;
    }

    /// How many names a file has here, besides `file`.
    int countNames(Domain domain, String name, Path file, Stat stat) throws IOException {
        int count = 0;
        for (State state : STATES) {
            for (Path day : files.list(layout.archive(domain).resolve(state.toString()))) {
                for (Path stored : files.list(day)) {
                    if (String.valueOf(stored.getFileName()).startsWith(name + ".")
                            && !stored.equals(file)
                            && files.stat(stored).filter(stat::isSameFileAs).isPresent()) {
                        count++;
                    }
                }
            }
        }
        return count;
    }

    /// When a file came here, as its name tells.
    public static Optional<Instant> timeOf(Path stored) {
        String[] parts = String.valueOf(stored.getFileName()).split("\\.", -1);
        try {
            return parts.length > 1
                    ? Optional.of(Instant.ofEpochMilli(Long.parseLong(parts[1])))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
