package dev.pheromone.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// A disk that keeps through a power cut what was forced to it: of a file the bytes that it had
/// when it was last forced, and of a folder the names that it had when that was. Real ones keep
/// more, and any more.
public final class ForgetfulDisk extends PassingDisk {

    /// What it keeps beside that.
    public enum More {
        NOTHING,
        /// What went or moved has done so at once, and only what is new has to be forced.
        LOSSES,
        /// New names are there at once, and old ones are back until their folder was forced: a
        /// rename may leave both, as on btrfs.
        BOTH_NAMES,
        /// The same, and the first half of a draft that was not forced.
        TORN,
        /// As [#LOSSES]; and a forced file brings its names with it, as on ext4 and xfs.
        NAMES_OF_FORCED,
        /// As [#TORN]; and a forced file brings its names with it, as on btrfs.
        TORN_NAMES_OF_FORCED
    }

    /// A file, whatever its names are.
    private static final class Content {
        private byte[] forced;

        Content(byte[] forced) {
            this.forced = forced;
        }
    }

    private final Path root;
    private final More more;
    private final Map<Path, Content> now = new HashMap<>();
    private final Map<Path, Content> forced = new HashMap<>();
    private final Set<Path> folders = new HashSet<>();

    /// What lies in `root` already is forced.
    public ForgetfulDisk(Path root, More more) throws IOException {
        this.root = root;
        this.more = more;
        for (Path path : everything()) {
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                folders.add(path);
            } else {
                now.put(path, new Content(Files.readAllBytes(path)));
            }
        }
        forced.putAll(now);
    }

    private List<Path> everything() throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.sorted().toList();
        }
    }

    /// Leaves in the folder what a power cut would.
    public synchronized void cutPower() throws IOException {
        for (Path path : everything().reversed()) {
            if (!path.equals(root)) {
                Files.delete(path);
            }
        }
        for (Path folder : folders.stream().sorted().toList()) {
            Files.createDirectories(folder);
        }
        Map<Content, Path> written = new HashMap<>();
        for (Map.Entry<Path, Content> file : forced.entrySet()) {
            Path first = written.putIfAbsent(file.getValue(), file.getKey());
            if (first == null) {
                Files.write(file.getKey(), file.getValue().forced);
            } else {
                Files.createLink(file.getKey(), first);
            }
        }
    }

    /// What has come to be without us is there, and empty after a power cut.
    private Content content(Path file) {
        return now.computeIfAbsent(file, _ -> new Content(new byte[0]));
    }

    @Override
    public synchronized void create(Path file, byte[] content) throws IOException {
        disk.create(file, content);
        now.put(file, new Content(content.clone()));
    }

    @Override
    public synchronized Handle openDraft(Path file, byte[] bytes) throws IOException {
        Handle draft = disk.openDraft(file, bytes);
        Content content = new Content(Arrays.copyOf(bytes, isTorn() ? bytes.length / 2 : 0));
        now.put(file, content);
        return handle(draft, content, bytes::clone);
    }

    @Override
    public synchronized Handle open(Path file) throws IOException {
        Content content = content(file);
        return handle(disk.open(file), content, () -> bytesOf(content));
    }

    private interface Bytes {
        byte[] get() throws IOException;
    }

    private Handle handle(Handle open, Content content, Bytes bytes) {
        return new Handle() {
            @Override
            public void force() throws IOException {
                synchronized (ForgetfulDisk.this) {
                    open.force();
                    ForgetfulDisk.this.force(content, bytes.get());
                }
            }

            @Override
            public void close() throws IOException {
                open.close();
            }
        };
    }

    @Override
    public synchronized void force(Path file) throws IOException {
        disk.force(file);
        force(content(file), Files.readAllBytes(file));
    }

    @Override
    public synchronized void link(Path existing, Path name) throws IOException {
        disk.link(existing, name);
        now.put(name, content(existing));
        if (hasBothNames()) {
            forced.put(name, content(existing));
        }
    }

    private boolean hasBothNames() {
        return more == More.BOTH_NAMES || isTorn();
    }

    private boolean isTorn() {
        return more == More.TORN || more == More.TORN_NAMES_OF_FORCED;
    }

    private boolean hasLosses() {
        return more == More.LOSSES || more == More.NAMES_OF_FORCED;
    }

    private boolean forcesNames() {
        return more == More.NAMES_OF_FORCED || more == More.TORN_NAMES_OF_FORCED;
    }

    private void force(Content content, byte[] bytes) {
        content.forced = bytes;
        if (forcesNames()) {
            now.forEach((path, known) -> {
                if (known == content) {
                    forced.put(path, content);
                }
            });
        }
    }

    @Override
    public synchronized void syncNamesOfForced(Path folder) throws IOException {
        if (!forcesNames()) {
            sync(folder);
        }
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
        now.put(to, content(from));
        now.remove(from);
        if (hasLosses() && forced.containsKey(from)) {
            forced.put(to, forced.remove(from));
        } else if (hasBothNames() && forced.containsKey(from)) {
            forced.put(to, forced.get(from));
        }
    }

    @Override
    public synchronized void remove(Path name) throws IOException {
        disk.remove(name);
        now.remove(name);
        if (hasLosses()) {
            forced.remove(name);
        }
    }

    @Override
    public synchronized void createFolder(Path folder) throws IOException {
        disk.createFolder(folder);
        for (Path made = folder; made.startsWith(root); made = made.getParent()) {
            folders.add(made);
        }
    }

    @Override
    public synchronized void sync(Path folder) throws IOException {
        disk.sync(folder);
        forced.keySet().removeIf(path -> folder.equals(path.getParent()));
        now.forEach((path, content) -> {
            if (folder.equals(path.getParent())) {
                forced.put(path, content);
            }
        });
        folders.removeIf(path -> folder.equals(path.getParent()) && !Files.isDirectory(path));
    }

    @Override
    public synchronized Appender openAppend(Path file) throws IOException {
        Appender appender = disk.openAppend(file);
        Content content = content(file);
        return new Appender() {
            @Override
            public void write(ByteBuffer wholeLines) throws IOException {
                appender.write(wholeLines);
            }

            @Override
            public void force() throws IOException {
                synchronized (ForgetfulDisk.this) {
                    appender.force();
                    ForgetfulDisk.this.force(content, bytesOf(content));
                }
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

    /// By whatever name it has now.
    private byte[] bytesOf(Content content) throws IOException {
        for (Map.Entry<Path, Content> file : now.entrySet()) {
            if (file.getValue() == content) {
                return Files.readAllBytes(file.getKey());
            }
        }
        return content.forced;
    }
}
