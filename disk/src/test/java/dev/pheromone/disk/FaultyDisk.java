package dev.pheromone.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/// A disk on which one operation goes wrong: it fails, or the process dies in it.
///
/// Operations that change something are counted from 0; looking is never the moment of truth.
/// Writes get half of their bytes out first.
public final class FaultyDisk extends PassingDisk {

    public enum Fault {
        /// The operation throws, as with a full disk; the next one works again.
        FAILS,
        /// The operation and all after it don't happen.
        DIES
    }

    /// The end of the process that the test plays.
    public static final class Death extends Error {
        private static final long serialVersionUID = 1;

        public Death(String where) {
            super(where);
        }
    }

    private final Fault fault;
    private final int at;
    private int count;
    private String hit = "";

    public FaultyDisk(Fault fault, int at) {
        this(fault, at, new LocalDisk());
    }

    public FaultyDisk(Fault fault, int at, Disk disk) {
        super(disk);
        this.fault = fault;
        this.at = at;
    }

    /// The operation that went wrong, or nothing if there were not that many.
    public String hit() {
        return hit;
    }

    /// A death that is silent in threads of the hive's own: they end with the process that the test
    /// plays, and nothing is wrong with that.
    private static Death death(String where) {
        Thread.currentThread()
                .setUncaughtExceptionHandler((ended, thrown) -> {
                    if (!(thrown instanceof Death)) {
                        ended.getThreadGroup().uncaughtException(ended, thrown);
                    }
                });
        return new Death(where);
    }

    private interface Half {
        void run() throws IOException;
    }

    private synchronized void step(String what, Half half) throws IOException {
        if (fault == Fault.DIES && !hit.isEmpty()) {
            throw death("after " + hit);
        }
        if (count++ == at) {
            hit = what;
            half.run();
            if (fault == Fault.DIES) {
                throw death("in " + what);
            }
            throw new IOException("No space left on device (" + what + ")");
        }
    }

    private void step(String what) throws IOException {
        step(what, () -> {});
    }

    @Override
    public void create(Path file, byte[] content) throws IOException {
        step(
                "create " + file,
                () -> {
                    if (fault == Fault.DIES) {
                        Files.write(file, Arrays.copyOf(content, content.length / 2));
                    }
                });
        disk.create(file, content);
    }

    @Override
    public Handle openDraft(Path file, byte[] content) throws IOException {
        step(
                "draft " + file,
                () -> {
                    if (fault == Fault.DIES) {
                        Files.write(file, Arrays.copyOf(content, content.length / 2));
                    }
                });
        return faulty("force draft " + file, disk.openDraft(file, content));
    }

    @Override
    public Handle open(Path file) throws IOException {
        step("open " + file);
        return faulty("force opened " + file, disk.open(file));
    }

    private Handle faulty(String forcing, Handle handle) {
        return new Handle() {
            @Override
            public void force() throws IOException {
                step(forcing);
                handle.force();
            }

            @Override
            public void close() throws IOException {
                handle.close();
            }
        };
    }

    @Override
    public void force(Path file) throws IOException {
        step("force " + file);
        disk.force(file);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        step("link " + name);
        disk.link(existing, name);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        step("rename " + from + " to " + to);
        disk.rename(from, to);
    }

    @Override
    public void remove(Path name) throws IOException {
        step("remove " + name);
        disk.remove(name);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            step("create folder " + folder);
        }
        disk.createFolder(folder);
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
    public void touch(Path file, Instant modified) throws IOException {
        step("touch " + file);
        disk.touch(file, modified);
    }

    @Override
    public Appender openAppend(Path file) throws IOException {
        step("open " + file);
        Appender appender = disk.openAppend(file);
        return new Appender() {
            @Override
            public void write(ByteBuffer wholeLines) throws IOException {
                step(
                        "append to " + file,
                        () -> appender.write(wholeLines.slice(0, wholeLines.remaining() / 2)));
                appender.write(wholeLines);
            }

            @Override
            public void force() throws IOException {
                step("force " + file);
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
        };
    }

    @Override
    public Optional<Closeable> tryLock(Path file) throws IOException {
        step("lock " + file);
        return disk.tryLock(file);
    }
}
