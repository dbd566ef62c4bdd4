package dev.pheromone.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/// A disk that lets something else happen once, just before an operation on a path that a test
/// chose: the other side of a race, at its worst moment.
public final class InterposedDisk extends PassingDisk {

    /// What happens in between.
    public interface Interlude {
        void run() throws Exception;
    }

    private final Predicate<String> before;
    private final Interlude interlude;
    private boolean played;

    /// Plays `interlude` before the first operation whose description, such as `link …/seen/…`,
    /// matches.
    public InterposedDisk(Predicate<String> before, Interlude interlude) {
        this.before = before;
        this.interlude = interlude;
    }

    public boolean isPlayed() {
        return played;
    }

    private void step(String what) {
        if (!played && before.test(what)) {
            played = true;
            try {
                interlude.run();
            } catch (Exception e) {
                throw new AssertionError("interlude before " + what, e);
            }
        }
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        step("read " + file);
        return disk.read(file, bytesMax);
    }

    @Override
    public void create(Path file, byte[] content) throws IOException {
        step("create " + file);
        disk.create(file, content);
    }

    @Override
    public Handle openDraft(Path file, byte[] content) throws IOException {
        step("create " + file);
        return disk.openDraft(file, content);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        step("link " + name);
        disk.link(existing, name);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        step("rename " + to);
        disk.rename(from, to);
    }

    @Override
    public void remove(Path name) throws IOException {
        step("remove " + name);
        disk.remove(name);
    }

    @Override
    public void syncNamesOfForced(Path folder) throws IOException {
        step("sync names in " + folder);
        disk.syncNamesOfForced(folder);
    }

    @Override
    public void sync(Path folder) throws IOException {
        step("sync " + folder);
        disk.sync(folder);
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        step("list " + folder);
        return disk.list(folder);
    }
}
