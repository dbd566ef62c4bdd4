package dev.pheromone.file;

import dev.pheromone.ContentHash;
import dev.pheromone.IsoTime;
import dev.pheromone.Ttl;

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

    private record Permission(String target, Instant begins, Instant ends, ContentHash hash) {}

    Overrides(Disk disk, HiveLayout layout, PathForms forms) {
        this.disk = disk;
        this.layout = layout;
        this.forms = forms;
    }

    /// Whether one of them lets `content` be written to `path` now.
    boolean allow(Path path, ContentHash content, Instant now) {
        try {
            Path folder = layout.hive().resolve(FOLDER);
            Optional<Stat> stat = disk.stat(folder);
            if (stat.isEmpty() || !stat.get().isFolder()) {
                return false;
            }
            for (Path file : disk.listIfFew(folder, FILES_MAX).orElse(List.of())) {
                if (String.valueOf(file.getFileName()).startsWith(PREFIX)
                        && allows(file, path, content, now)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // What can't be read permits nothing.
        }
        return false;
    }

    private boolean allows(Path file, Path path, ContentHash content, Instant now) {
        try {
            Optional<byte[]> bytes = RegularFile.read(disk, file, BYTES_MAX);
            if (bytes.isEmpty()) {
                return false;
            }
            Permission permission = parse(bytes.get());
            return permission.hash().equals(content)
                    && !now.isBefore(permission.begins())
                    && now.isBefore(permission.ends())
                    && isTarget(permission.target(), path);
        } catch (IOException | MalformedYamlException | IllegalArgumentException e) {
            return false;
        }
    }

    private static Permission parse(byte[] bytes) throws MalformedYamlException {
        YamlFields fields = YamlFields.ofRoot(YamlText.parse(bytes)).only(KEYS);
        for (String key : KEYS) {
            String _ = fields.required(key, Overrides::parseText);
        }
        Instant begins = fields.required("ts", IsoTime::parse);
        Ttl ttl = fields.required("ttl", Ttl::parse);
        return new Permission(
                fields.required("target", text -> text),
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
