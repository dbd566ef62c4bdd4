package dev.pheromone.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Another disk, passed on to: for disks that differ from it in a few operations.
public class PassingDisk implements Disk {

    public final Disk disk;

    public PassingDisk(Disk disk) {
        this.disk = disk;
    }

    /// Of the real one.
    public PassingDisk() {
        this(new LocalDisk());
    }

    @Override
    public Path realPath(Path path) throws IOException {
        return disk.realPath(path);
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
    public List<Path> list(Path folder) throws IOException {
        return disk.list(folder);
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        return disk.read(file, bytesMax);
    }

    @Override
    public void create(Path file, byte[] content) throws IOException {
        disk.create(file, content);
    }

    @Override
    public Handle open(Path file) throws IOException {
        return disk.open(file);
    }

    @Override
    public Handle openDraft(Path file, byte[] content) throws IOException {
        return disk.openDraft(file, content);
    }

    @Override
    public void force(Path file) throws IOException {
        disk.force(file);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        disk.link(existing, name);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void remove(Path name) throws IOException {
        disk.remove(name);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        disk.createFolder(folder);
    }

    @Override
    public void syncNamesOfForced(Path folder) throws IOException {
        disk.syncNamesOfForced(folder);
    }

    @Override
    public void sync(Path folder) throws IOException {
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
