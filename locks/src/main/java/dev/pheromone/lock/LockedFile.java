package dev.pheromone.lock;

import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

/// A file under a lock as it was at one moment.
///
/// @param path relative to the hive root
/// @param stamp size, inode and times: whoever writes the file, or puts another in its place, can't
///   keep all of them
/// @param hash null if it was not read: it may not be, or is too large
public record LockedFile(String path, long size, String stamp, @Nullable ContentHash hash) {

    static LockedFile of(String path, Stat stat, @Nullable ContentHash hash) {
        return new LockedFile(
                path,
                stat.size(),
                "%s %s %s %s"
                        .formatted(
                                stat.kind().name(), stat.inode(), stat.modified(), stat.changed()),
                hash);
    }

    static LockedFile of(Json.Obj json) {
        return new LockedFile(
                json.text("path"),
                json.number("size"),
                json.text("stamp"),
                json.optionalText("hash").map(ContentHash::parse).orElse(null));
    }

    Json.Obj json() {
        Json.Obj json = Json.obj().put("path", path).put("size", size).put("stamp", stamp);
        return hash == null ? json : json.put("hash", hash.toString());
    }

    /// Whether it is not what `earlier` was: by its content if both are known.
    boolean differsFrom(LockedFile earlier) {
        ContentHash before = earlier.hash();
        if (hash != null && before != null) {
            return !hash.equals(before);
        }
        return size != earlier.size() || !stamp.equals(earlier.stamp());
    }
}
