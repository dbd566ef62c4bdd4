package dev.pheromone.file;

import dev.pheromone.ContentHash;
import dev.pheromone.IsoTime;
import dev.pheromone.Ttl;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.Permission;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The permissions to write in spite of a lock: files `ALLOW-WRITE-*` in the folder `overrides`,
/// each for one target, one content and a time.
///
/// Whatever is missing or malformed in one makes it none.
final class Overrides {

    private static final String FOLDER = "overrides";
    private static final String PREFIX = "ALLOW-WRITE-";

    private static final int FILES_MAX = 1000;
    private static final int BYTES_MAX = 8 * 1024;

    /// The keys of one, all of them needed.
    private static final String[] KEYS = {
        "override", "ts", "requestor", "source", "target", "reason", "ttl", "hash"
    };

    private final Disk disk;
    private final HiveLayout layout;
    private final PathForms forms;

    private record Leave(
            String target, String requestor, Instant begins, Instant ends, ContentHash hash) {}

    Overrides(Disk disk, HiveLayout layout, PathForms forms) {
        this.disk = disk;
        this.layout = layout;
        this.forms = forms;
    }

    /// The one that lets `content` be written to `path` now, against `lock`.
    Optional<Permission> find(Path path, ContentHash content, Instant now, Lock lock) {
        try {
            Path folder = layout.hive().resolve(FOLDER);
            Optional<Stat> stat = disk.stat(folder);
            if (stat.isEmpty() || !stat.get().isFolder()) {
                return Optional.empty();
            }
            for (Path file : disk.listIfFew(folder, FILES_MAX).orElse(List.of())) {
                if (String.valueOf(file.getFileName()).startsWith(PREFIX)) {
                    Optional<Leave> leave = read(file);
                    if (leave.isPresent() && allows(leave.get(), path, content, now)) {
                        return Optional.of(
                                new Permission(lock, layout.nameOf(file), leave.get().requestor()));
                    }
                }
            }
        } catch (IOException e) {
            // What can't be read permits nothing.
        }
        return Optional.empty();
    }

    private Optional<Leave> read(Path file) {
        try {
            Optional<byte[]> bytes = RegularFile.read(disk, file, BYTES_MAX);
            return bytes.isEmpty() ? Optional.empty() : Optional.of(parse(bytes.get()));
        } catch (IOException | MalformedYamlException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private boolean allows(Leave leave, Path path, ContentHash content, Instant now) {
        try {
            return leave.hash().equals(content)
                    && !now.isBefore(leave.begins())
                    && now.isBefore(leave.ends())
                    && isTarget(leave.target(), path);
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    private static Leave parse(byte[] bytes) throws MalformedYamlException {
        YamlFields fields = YamlFields.ofRoot(YamlText.parse(bytes)).only(KEYS);
        for (String key : KEYS) {
            String _ = fields.required(key, Overrides::parseText);
        }
        Instant begins = fields.required("ts", IsoTime::parse);
        Ttl ttl = fields.required("ttl", Ttl::parse);
        return new Leave(
                fields.required("target", text -> text),
                fields.required("requestor", text -> text),
                begins,
                begins.plus(ttl.duration()),
                fields.required("hash", ContentHash::parse));
    }

    private static String parseText(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("found nothing, expected a text");
        }
        return text;
    }

    /// Whether `path` is the file that `target` names, and is nothing else as well: a link, or the
    /// same file of another work tree, is not what somebody has permitted.
    private boolean isTarget(String target, Path path) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Set<List<String>> names = forms.of(path);
        return absolute.startsWith(layout.root())
                && names.size() == 1
                && !names.contains(List.<String>of())
                && names.equals(forms.of(layout.root().resolve(target)));
    }
}
