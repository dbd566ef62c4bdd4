package dev.pheromone.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What is mounted where, as Linux tells it: one folder may be shown in several places.
public final class Mounts {

    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final int TABLE_BYTES_MAX = 1024 * 1024;

    private static final int DEVICE_FIELD = 2;
    private static final int ROOT_FIELD = 3;
    private static final int POINT_FIELD = 4;

    private final Disk disk;

    /// A part of a device, shown at a folder.
    ///
    /// @param root the part of the device that is shown
    private record Shown(String device, Path root, Path point) {

        Place place(Path path) {
            return new Place(device, root.resolve(point.relativize(path)).normalize());
        }
    }

    /// Where a path lies, whatever it is called.
    private record Place(String device, Path path) {}

    public Mounts(Disk disk) {
        this.disk = disk;
    }

    /// The other name of `path` below `root`, if it is shown there, too.
    public Optional<Path> counterpart(Path path, Path root) throws IOException {
        if (!disk.exists(TABLE)) {
            return Optional.empty();
        }
        List<Shown> table = table();
        Place place = place(table, path);
        Place base = place(table, root);
        return place != null
                        && base != null
                        && place.device().equals(base.device())
                        && place.path().startsWith(base.path())
                ? Optional.of(root.resolve(base.path().relativize(place.path())))
                : Optional.empty();
    }

    private static @Nullable Place place(List<Shown> table, Path path) {
        Shown best = null;
        for (Shown shown : table) {
            if (path.startsWith(shown.point())
                    && (best == null
                            || shown.point().getNameCount() >= best.point().getNameCount())) {
                // Of several at one folder the last one hides the others.
                best = shown;
            }
        }
        return best == null ? null : best.place(path);
    }

    private List<Shown> table() throws IOException {
        List<Shown> table = new ArrayList<>();
        try (Disk.Reader reader = disk.openRead(TABLE)) {
            byte[] bytes = LogFile.read(reader, 0, TABLE_BYTES_MAX);
            for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
                String[] fields = line.split(" ", -1);
                if (fields.length > POINT_FIELD) {
                    table.add(
                            new Shown(
                                    fields[DEVICE_FIELD],
                                    Path.of(unescaped(fields[ROOT_FIELD])),
                                    Path.of(unescaped(fields[POINT_FIELD]))));
                }
            }
        }
        return table;
    }

    /// The kernel writes blanks and backslashes as three octal digits.
    private static String unescaped(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < field.length(); at++) {
            if (field.charAt(at) == '\\' && at + 3 < field.length()) {
                text.append((char) Integer.parseInt(field.substring(at + 1, at + 4), 8));
                at += 3;
            } else {
                text.append(field.charAt(at));
            }
        }
        return text.toString();
    }
}
