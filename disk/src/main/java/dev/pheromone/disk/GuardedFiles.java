package dev.pheromone.disk;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Pass;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/// The files of a hive, behind its locks: **the only class that touches them**. Each operation asks
/// the guard first and throws `WithheldException` if it says no.
public final class GuardedFiles implements Disk {

    private final Disk disk;
    private final PolicyGuard guard;
    private final ThreadLocal<Stay> stays = ThreadLocal.withInitial(Stay::new);

    public GuardedFiles(Disk disk, PolicyGuard guard) {
        this.disk = disk;
        this.guard = guard;
    }

    /// What one thread does behind the guard, with one pass for all of it.
    private final class Stay implements Operation {

        private @Nullable Pass pass;
        private int depth;

        Stay begin() {
            if (depth++ == 0) {
                pass = guard.enter();
            }
            return this;
        }

        Verdict check(Path path, Access access) {
            return Objects.requireNonNull(pass, "no operation has begun").check(path, access);
        }

        boolean isFree() {
            return Objects.requireNonNull(pass, "no operation has begun").isFree();
        }

        Optional<Permission> permission(Path path, ContentHash content) {
            return Objects.requireNonNull(pass, "no operation has begun").permission(path, content);
        }

        void ask(Path path, Access access) throws WithheldException {
            if (check(path, access) instanceof Verdict.Blocked blocked) {
                throw new WithheldException(path, blocked);
            }
        }

        @Override
        public void close() {
            if (--depth == 0 && pass != null) {
                Pass ended = pass;
                pass = null;
                ended.close();
            }
        }
    }

    @Override
    public Operation begin() {
        return stay();
    }

    private Stay stay() {
        return stays.get().begin();
    }

    @Override
    public void require(Path path, Access access) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(path, access);
        }
    }

    @Override
    public boolean isFree() {
        try (Stay stay = stay()) {
            return stay.isFree();
        }
    }

    @Override
    public Path realPath(Path path) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(path, Access.READ);
            return disk.realPath(path);
        }
    }

    @Override
    public Optional<Stat> stat(Path path) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(path, Access.READ);
            return disk.stat(path);
        }
    }

    /// False for what may not be read: a lock never reveals what it covers.
    @Override
    public boolean exists(Path path) {
        try (Stay stay = stay()) {
            return stay.check(path, Access.READ) instanceof Verdict.Allowed && disk.exists(path);
        }
    }

    /// False for what may not be written.
    @Override
    public boolean isWritable(Path path) {
        try (Stay stay = stay()) {
            return stay.check(path, Access.WRITE) instanceof Verdict.Allowed
                    && disk.isWritable(path);
        }
    }

    @Override
    public boolean isWritableByAll(Path path) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(path, Access.READ);
            return disk.isWritableByAll(path);
        }
    }

    @Override
    public Mount mount(Path path) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(path, Access.READ);
            return disk.mount(path);
        }
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(folder, Access.READ);
            return disk.list(folder);
        }
    }

    @Override
    public Optional<List<Path>> listIfFew(Path folder, int countMax) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(folder, Access.READ);
            return disk.listIfFew(folder, countMax);
        }
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.READ);
            return disk.read(file, bytesMax);
        }
    }

    @Override
    public Optional<Peek> peek(Path file, int sizeMax, IntFunction<byte[]> room)
            throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.READ);
            return disk.peek(file, sizeMax, room);
        }
    }

    @Override
    public void create(Path file, byte[] content) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.WRITE);
            disk.create(file, content);
        }
    }

    @Override
    public Handle openDraft(Path file, byte[] content) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.WRITE);
            return new GuardedHandle(file, Access.WRITE, disk.openDraft(file, content));
        }
    }

    @Override
    public Handle open(Path file) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.READ);
            return new GuardedHandle(file, Access.READ, disk.open(file));
        }
    }

    /// An open file, which may outlive the pass that opened it.
    private final class GuardedHandle implements Handle {

        private final Path file;
        private final Access access;
        private final Handle handle;

        GuardedHandle(Path file, Access access, Handle handle) {
            this.file = file;
            this.access = access;
            this.handle = handle;
        }

        @Override
        public void force() throws IOException {
            try (Stay stay = stay()) {
                stay.ask(file, access);
                handle.force();
            }
        }

        @Override
        public void close() throws IOException {
            handle.close();
        }
    }

    @Override
    public void force(Path file) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.READ);
            disk.force(file);
        }
    }

    @Override
    public Optional<Permission> permission(Path name, byte[] content) {
        try (Stay stay = stay()) {
            return stay.permission(name, ContentHash.of(content));
        }
    }

    @Override
    public void createPermitted(Path draft, Path name, byte[] content) throws IOException {
        try (Stay stay = stay()) {
            if (stay.permission(name, ContentHash.of(content)).isEmpty()) {
                throw new AccessDeniedException(name.toString());
            }
            stay.ask(draft, Access.ERASE);
            // The lock that is passed by forbids to compare.
            Publication.Result result =
                    new Publication(disk)
                            .publish(content, draft, name, _ -> Publication.Likeness.OTHER);
            if (result == Publication.Result.OTHER) {
                throw new FileAlreadyExistsException(name.toString());
            }
        }
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(existing, Access.READ);
            stay.ask(name, Access.WRITE);
            disk.link(existing, name);
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(from, Access.ERASE);
            stay.ask(to, Access.WRITE);
            disk.rename(from, to);
        }
    }

    @Override
    public void remove(Path name) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(name, Access.ERASE);
            disk.remove(name);
        }
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(folder, Access.WRITE);
            disk.createFolder(folder);
        }
    }

    @Override
    public void sync(Path folder) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(folder, Access.READ);
            disk.sync(folder);
        }
    }

    @Override
    public void syncNamesOfForced(Path folder) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(folder, Access.READ);
            disk.syncNamesOfForced(folder);
        }
    }

    @Override
    public void touch(Path file, Instant modified) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.WRITE);
            disk.touch(file, modified);
        }
    }

    @Override
    public Appender openAppend(Path file) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.WRITE);
            return new GuardedAppender(file, disk.openAppend(file));
        }
    }

    /// An open file, which outlives the pass that opened it: the guard is asked again and again.
    private final class GuardedAppender implements Appender {

        /// Writes in quick succession are one operation to the guard: asking takes longer than
        /// writing a line.
        private static final int BURST_WRITES_MAX = 64;

        private static final long BURST_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

        private final Path file;
        private final Appender appender;

        /// The pass of the burst, until the next one or until the force that follows every burst.
        private @Nullable Pass burst;

        private int writes;
        private long begunNanos;

        GuardedAppender(Path file, Appender appender) {
            this.file = file;
            this.appender = appender;
        }

        @Override
        public synchronized void write(ByteBuffer wholeLines) throws IOException {
            Stay stay = stays.get();
            if (stay.depth > 0) {
                stay.ask(file, Access.WRITE);
                appender.write(wholeLines);
                return;
            }
            long now = System.nanoTime();
            if (burst == null
                    || ++writes > BURST_WRITES_MAX
                    || now - begunNanos > BURST_NANOS_MAX) {
                endBurst();
                Pass pass = guard.enter();
                if (pass.check(file, Access.WRITE) instanceof Verdict.Blocked blocked) {
                    pass.close();
                    throw new WithheldException(file, blocked);
                }
                burst = pass;
                writes = 1;
                begunNanos = now;
            }
            appender.write(wholeLines);
        }

        private synchronized void endBurst() {
            Pass pass = burst;
            burst = null;
            if (pass != null) {
                pass.close();
            }
        }

        @Override
        public void force() throws IOException {
            endBurst();
            try (Stay stay = stay()) {
                stay.ask(file, Access.WRITE);
                appender.force();
            }
        }

        @Override
        public long size() throws IOException {
            try (Stay stay = stay()) {
                stay.ask(file, Access.READ);
                return appender.size();
            }
        }

        @Override
        public void close() throws IOException {
            endBurst();
            appender.close();
        }
    }

    @Override
    public Reader openRead(Path file) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.READ);
            return new GuardedReader(file, disk.openRead(file));
        }
    }

    private final class GuardedReader implements Reader {

        private final Path file;
        private final Reader reader;

        GuardedReader(Path file, Reader reader) {
            this.file = file;
            this.reader = reader;
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            try (Stay stay = stay()) {
                stay.ask(file, Access.READ);
                return reader.read(into, position);
            }
        }

        @Override
        public long size() throws IOException {
            try (Stay stay = stay()) {
                stay.ask(file, Access.READ);
                return reader.size();
            }
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }

    @Override
    public Optional<Closeable> tryLock(Path file) throws IOException {
        try (Stay stay = stay()) {
            stay.ask(file, Access.WRITE);
            return disk.tryLock(file);
        }
    }
}
