package dev.pheromone.lock;

import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.YamlFields;
import dev.pheromone.config.YamlNode;
import dev.pheromone.config.YamlText;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.LockKind;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads the lock lists: every file in the three folders made for them. One that can't be read or
/// understood locks everything, for it could have said so.
public final class LockLists {

    /// How many files one folder may have.
    private static final int FILES_MAX = 1000;

    /// The folders, strongest lock first.
    private static final Map<LockKind, String> FOLDERS =
            Map.of(
                    LockKind.DNR, "do-not-read",
                    LockKind.DO_NOT_ALTER, "do-not-alter",
                    LockKind.DO_NOT_ERASE, "do-not-erase");

    private final Disk disk;
    private final HiveLayout layout;
    private final List<LockEntry> entries = new ArrayList<>();

    /// Everything that was looked at, as it was before.
    private final List<Watched> watched = new ArrayList<>();

    /// A file or folder, as it was.
    public record Watched(Path path, Stat stat) {}

    private LockLists(Disk disk, HiveLayout layout) {
        this.disk = disk;
        this.layout = layout;
    }

    public static String folder(LockKind kind) {
        return String.valueOf(FOLDERS.get(kind));
    }

    /// Whether lists lie in the hive's folder of this name.
    static boolean isFolder(String name) {
        return FOLDERS.containsValue(name);
    }

    /// The folders in which the locks of a hive lie.
    public static List<Path> folders(HiveLayout layout) {
        List<Path> folders = new ArrayList<>();
        folders.add(layout.hive());
        for (LockKind kind : LockKind.values()) {
            folders.add(layout.hive().resolve(folder(kind)));
        }
        return folders;
    }

    /// Reads the lists in the folders of `base`.
    public static LockLists read(Disk disk, HiveLayout layout, Path base) throws IOException {
        LockLists lists = new LockLists(disk, layout);
        for (LockKind kind : LockKind.values()) {
            lists.readFolder(kind, base.resolve(folder(kind)));
        }
        return lists;
    }

    /// In the order of their kinds, strongest first.
    public List<LockEntry> entries() {
        return entries;
    }

    public List<Watched> watched() {
        return watched;
    }

    private void readFolder(LockKind kind, Path folder) throws IOException {
        Optional<Stat> stat = disk.stat(folder);
        if (stat.isEmpty()) {
            return;
        }
        watched.add(new Watched(folder, stat.get()));
        if (!stat.get().isFolder()) {
            entries.add(
                    unclear(folder, "found %s, expected a folder".formatted(stat.get().kind())));
            return;
        }
        Optional<List<Path>> files;
        try {
            files = disk.listIfFew(folder, FILES_MAX);
        } catch (IOException e) {
            entries.add(unclear(folder, Trouble.reason(e)));
            return;
        }
        if (files.isEmpty()) {
            entries.add(unclear(folder, "found more than " + FILES_MAX + " files"));
            return;
        }
        for (Path file : files.get()) {
            readFile(kind, file);
        }
    }

    private void readFile(LockKind kind, Path file) throws IOException {
        Optional<Stat> stat = disk.stat(file);
        if (stat.isPresent()) {
            watched.add(new Watched(file, stat.get()));
            try {
                Optional<byte[]> bytes = RegularFile.read(disk, file, YamlText.BYTES_MAX);
                if (bytes.isPresent()) {
                    entries.addAll(parse(bytes.get(), kind, layout.nameOf(file)));
                }
            } catch (IOException e) {
                entries.add(unclear(file, Trouble.reason(e)));
            } catch (MalformedYamlException e) {
                entries.add(unclear(file, String.valueOf(e.getMessage())));
            }
        }
    }

    private LockEntry unclear(Path file, String reason) {
        String name = layout.nameOf(file);
        return LockEntry.unclear(name, reason);
    }

    /// The entries of one list.
    static List<LockEntry> parse(byte[] bytes, LockKind kind, String declaredIn)
            throws MalformedYamlException {
        YamlNode root = YamlText.parse(bytes);
        List<LockEntry> entries = new ArrayList<>();
        if (root instanceof YamlNode.Sequence(var items, var _)) {
            for (YamlNode item : items) {
                entries.add(entry(item, kind, declaredIn));
            }
        } else if (root != null && !(root instanceof YamlNode.Scalar none && none.isNothing())) {
            entries.add(entry(root, kind, declaredIn));
        }
        return entries;
    }

    private static LockEntry entry(YamlNode node, LockKind kind, String declaredIn)
            throws MalformedYamlException {
        if (node instanceof YamlNode.Scalar(String pattern, boolean _, int line)) {
            checkPattern(pattern, line);
            return new LockEntry(kind, pattern, null, "", null, declaredIn, false);
        }
        // Keys that are not known could only say more about why: they never make a lock smaller.
        YamlFields fields = YamlFields.ofRoot(node);
        String pattern = fields.value("path_pattern", text -> text, "");
        ContentHash hash = fields.optional("hash", ContentHash::parse);
        if (pattern.isEmpty() && hash == null) {
            throw new MalformedYamlException(
                    node.line(), "found neither path_pattern nor hash, expected one of them");
        }
        if (!pattern.isEmpty()) {
            checkPattern(pattern, node.line());
        }
        return new LockEntry(
                kind,
                pattern,
                hash,
                fields.value("reason", text -> text, ""),
                fields.optional("expires", LockLists::parseExpires),
                declaredIn,
                false);
    }

    private static void checkPattern(String pattern, int line) throws MalformedYamlException {
        try {
            LockPattern.parse(pattern);
        } catch (IllegalArgumentException e) {
            throw new MalformedYamlException(line, String.valueOf(e.getMessage()));
        }
    }

    /// A time, or a day, which counts to its end.
    static Instant parseExpires(String text) {
        try {
            return text.length() == "2000-01-01".length()
                    ? LocalDate.parse(text).plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant()
                    : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "expires: found \"%s\", expected a time such as 2026-12-31T18:00:00Z or a day"
                            .formatted(text),
                    e);
        }
    }
}
