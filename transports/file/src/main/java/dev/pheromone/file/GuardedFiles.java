package dev.pheromone.file;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The files of a hive, behind its locks: **the only class that touches them**. Each operation asks
/// the guard first and throws `WithheldException` if it says no.
final class GuardedFiles implements Disk {

    private final Disk disk;
    private final PolicyGuard guard;

    GuardedFiles(Disk disk, PolicyGuard guard) {
        this.disk = disk;
        this.guard = guard;
    }

    private void ask(Path path, Access access) throws WithheldException {
        if (guard.check(path, access) instanceof Verdict.Blocked blocked) {
            throw new WithheldException(path, blocked);
        }
    }

    @Override
    public Path realPath(Path path) throws IOException {
        ask(path, Access.READ);
        return disk.realPath(path);
    }

    @Override
    public Optional<Stat> stat(Path path) throws IOException {
        ask(path, Access.READ);
        return disk.stat(path);
    }

    /// False for what may not be read: a lock never reveals what it covers.
    @Override
    public boolean exists(Path path) {
        return guard.check(path, Access.READ) instanceof Verdict.Allowed && disk.exists(path);
    }

    /// False for what may not be written.
    @Override
    public boolean isWritable(Path path) {
        return guard.check(path, Access.WRITE) instanceof Verdict.Allowed && disk.isWritable(path);
    }

    @Override
    public boolean isWritableByAll(Path path) throws IOException {
        ask(path, Access.READ);
        return disk.isWritableByAll(path);
    }

    @Override
    public Mount mount(Path path) throws IOException {
        ask(path, Access.READ);
        return disk.mount(path);
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        ask(folder, Access.READ);
        return disk.list(folder);
    }

    @Override
    public Optional<List<Path>> listIfFew(Path folder, int countMax) throws IOException {
        ask(folder, Access.READ);
        return disk.listIfFew(folder, countMax);
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        ask(file, Access.READ);
        return disk.read(file, bytesMax);
    }

    @Override
    public Optional<Peek> peek(Path file, long sizeMax, byte[] into) throws IOException {
        ask(file, Access.READ);
        return disk.peek(file, sizeMax, into);
    }

    /// One verdict on all of them. If that is no, each is asked for when its turn comes.
    @Override
    public Peeking peekingAt(List<Path> files) {
        return guard.checkAll(files, Access.READ) instanceof Verdict.Allowed
                ? disk.peekingAt(files)
                : this::peek;
    }

    @Override
    public void create(Path file, byte[] content) throws IOException {
        ask(file, Access.WRITE);
        disk.create(file, content);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        ask(existing, Access.READ);
        ask(name, Access.WRITE);
        disk.link(existing, name);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        ask(from, Access.ERASE);
        ask(to, Access.WRITE);
        disk.rename(from, to);
    }

    @Override
    public void remove(Path name) throws IOException {
        ask(name, Access.ERASE);
        disk.remove(name);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        ask(folder, Access.WRITE);
        disk.createFolder(folder);
    }

    @Override
    public void sync(Path folder) throws IOException {
        ask(folder, Access.READ);
        disk.sync(folder);
    }

    @Override
    public void touch(Path file, Instant modified) throws IOException {
        ask(file, Access.WRITE);
        disk.touch(file, modified);
    }

    @Override
    public Appender openAppend(Path file) throws IOException {
        ask(file, Access.WRITE);
        return new GuardedAppender(file, disk.openAppend(file));
    }

    /// An open file, which outlives the verdict that opened it: the guard is asked again and again.
    private final class GuardedAppender implements Appender {

        /// Writes in quick succession are one operation to the guard: asking takes as long as
        /// writing a line.
        private static final int BURST_WRITES_MAX = 64;

        private static final long BURST_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

        private final Path file;
        private final Appender appender;
        private int writes = BURST_WRITES_MAX;
        private long askedNanos;

        GuardedAppender(Path file, Appender appender) {
            this.file = file;
            this.appender = appender;
        }

        @Override
        public void write(ByteBuffer wholeLines) throws IOException {
            long now = System.nanoTime();
            if (++writes > BURST_WRITES_MAX || now - askedNanos > BURST_NANOS_MAX) {
                ask(file, Access.WRITE);
                writes = 1;
                askedNanos = now;
            }
            appender.write(wholeLines);
        }

        @Override
        public void force() throws IOException {
            appender.force();
        }

        @Override
        public long size() throws IOException {
            return appender.size();
        }

        @Override
        public void close() throws IOException {
            appender.close();
        }
    }

    @Override
    public Reader openRead(Path file) throws IOException {
        ask(file, Access.READ);
        Reader reader = disk.openRead(file);
        return new Reader() {
            @Override
            public int read(ByteBuffer into, long position) throws IOException {
                ask(file, Access.READ);
                return reader.read(into, position);
            }

            @Override
            public long size() throws IOException {
                return reader.size();
            }

            @Override
            public void close() throws IOException {
                reader.close();
            }
        };
    }

    @Override
    public Optional<Closeable> tryLock(Path file) throws IOException {
        ask(file, Access.WRITE);
        return disk.tryLock(file);
    }
}
