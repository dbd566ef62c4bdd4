package dev.pheromone.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// A disk that lets something else happen once, just before an operation on a path that a test
/// chose: the other side of a race, at its worst moment.
final class InterposedDisk implements Disk {

    /// What happens in between.
    interface Interlude {
        void run() throws Exception;
    }

    private final Disk disk = new LocalDisk();
    private final Predicate<String> before;
    private final Interlude interlude;
    private boolean played;

    /// Plays `interlude` before the first operation whose description, such as `link …/seen/…`,
    /// matches.
    InterposedDisk(Predicate<String> before, Interlude interlude) {
        this.before = before;
        this.interlude = interlude;
    }

    boolean isPlayed() {
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
    public Path realPath(Path path) throws IOException {
        return disk.realPath(path);
    }

    @Override
    public boolean isWritable(Path path) {
        return disk.isWritable(path);
    }

    @Override
    public boolean isWritableByAll(Path path) throws IOException {
        return disk.isWritableByAll(path);
    }

    @Override
    public Mount mount(Path path) throws IOException {
        return disk.mount(path);
    }

    @Override
    public Optional<Stat> stat(Path path) throws IOException {
        return disk.stat(path);
    }

    @Override
    public boolean exists(Path path) {
        return disk.exists(path);
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        return disk.list(folder);
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
    public void createFolder(Path folder) throws IOException {
        disk.createFolder(folder);
    }

    @Override
    public void sync(Path folder) throws IOException {
        step("sync " + folder);
        disk.sync(folder);
    }

    @Override
    public void touch(Path file, Instant modified) throws IOException {
        disk.touch(file, modified);
    }

    @Override
    public Appender openAppend(Path file) throws IOException {
        return disk.openAppend(file);
    }

    @Override
    public Reader openRead(Path file) throws IOException {
        return disk.openRead(file);
    }

    @Override
    public Optional<Closeable> tryLock(Path file) throws IOException {
        return disk.tryLock(file);
    }
}
