package dev.pheromone.file.log;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.FileHash;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/// How long the event log was at some time, and the hash of all that was in it. The log only grows,
/// so these bytes are still there, or somebody has rewritten it.
///
/// A mark proves nothing about events that were written after it, and nothing to whoever does not
/// trust the place where it is kept.
///
/// @param at when it was taken
public record LogMark(long bytes, ContentHash hash, Instant at) {

    public LogMark {
        if (bytes < 0) {
            throw new IllegalArgumentException(
                    "log mark of " + bytes + " bytes, expected 0 or more");
        }
    }

    /// The log as it is now, once it is on the disk: a power cut takes nothing from under a mark.
    /// Nothing if there is no log.
    public static Optional<LogMark> take(HiveLayout layout, PolicyGuard guard, Instant now)
            throws IOException {
        Disk files = new GuardedFiles(new LocalDisk(), guard);
        Optional<Long> length = length(files, layout.log());
        if (length.isEmpty()) {
            return Optional.empty();
        }
        try (Disk.Appender log = files.openAppend(layout.log())) {
            log.force();
        }
        return Optional.of(
                new LogMark(length.get(), FileHash.of(files, layout.log(), length.get()), now));
    }

    private static Optional<Long> length(Disk files, Path log) throws IOException {
        return files.stat(log).filter(Stat::isFile).map(Stat::size);
    }

    /// What is wrong with the log of the hive at `layout`, if it is not the one that was marked.
    public Optional<Finding> compare(HiveLayout layout, PolicyGuard guard) throws IOException {
        Disk files = new GuardedFiles(new LocalDisk(), guard);
        long length = length(files, layout.log()).orElse(0L);
        if (length < bytes) {
            return Optional.of(rewritten(layout, "a log of " + length + " bytes"));
        }
        return bytes == 0 || FileHash.of(files, layout.log(), bytes).equals(hash)
                ? Optional.empty()
                : Optional.of(rewritten(layout, "other lines in the first " + bytes + " bytes"));
    }

    private Finding rewritten(HiveLayout layout, String found) {
        return new Finding(
                Finding.Severity.ERROR,
                layout.nameOf(layout.log()),
                found,
                "the %d bytes of %s: the log only grows".formatted(bytes, IsoTime.format(at)),
                "find out who rewrote it; if it is right as it is: rsm audit --accept");
    }

    /// The mark that `text` is; fails on any other text.
    public static LogMark parse(String text) throws MalformedJsonException {
        if (!(Json.parse(text.getBytes(StandardCharsets.UTF_8)) instanceof Json.Obj mark)) {
            throw new IllegalArgumentException("log mark, expected an object");
        }
        return new LogMark(
                Long.parseLong(mark.optionalText("bytes").orElse("")),
                ContentHash.parse(mark.optionalText("hash").orElse("")),
                IsoTime.parse(mark.optionalText("at").orElse("")));
    }

    @Override
    public String toString() {
        return Json.obj()
                .put("bytes", String.valueOf(bytes))
                .put("hash", hash.toString())
                .put("at", IsoTime.format(at))
                .toString();
    }
}
