package dev.pheromone.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/// The machine's last start, as Linux tells it: what was not forced before it may be lost.
///
/// @param id which start it was; no two have the same
/// @param age how long ago that was
public record Boot(String id, Duration age) {

    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path UPTIME = Path.of("/proc/uptime");
    private static final int BYTES_MAX = 128;
    private static final Pattern HEX = Pattern.compile("[0-9a-f-]{36}");

    /// The last start; empty where the platform does not tell.
    public static Optional<Boot> last(Disk disk) {
        try {
            if (!disk.exists(ID)) {
                return Optional.empty();
            }
            String id = line(disk, ID);
            String seconds = line(disk, UPTIME).split(" ", 2)[0];
            return HEX.matcher(id).matches()
                    ? Optional.of(
                            new Boot(
                                    id,
                                    Duration.ofMillis((long) (Double.parseDouble(seconds) * 1000))))
                    : Optional.empty();
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static String line(Disk disk, Path file) throws IOException {
        try (Disk.Reader reader = disk.openRead(file)) {
            return new String(LogFile.read(reader, 0, BYTES_MAX), StandardCharsets.US_ASCII)
                    .strip();
        }
    }
}
