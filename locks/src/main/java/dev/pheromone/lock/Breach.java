package dev.pheromone.lock;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/// Something that happened to a file under a lock, past the guard.
///
/// @param path relative to the hive root
/// @param hash the content that is there now; null if nothing is, or it was not read
/// @param lock `hive`, or the kind of the lock that covered it
/// @param declaredIn the file that was the lock, relative to the hive root
public record Breach(
        String path, Change change, @Nullable ContentHash hash, String lock, String declaredIn) {

    /// The type of the event that tells of one.
    public static final String EVENT = "policy_breach";

    /// What happened to what was locked.
    public enum Change {
        CHANGED,
        CAME,
        GONE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// The data of its event.
    public Json.Obj json() {
        Json.Obj json =
                Json.obj()
                        .put("lock", lock)
                        .put("path", path)
                        .put("change", change.toString())
                        .put("source", declaredIn);
        return hash == null ? json : json.put("hash", hash.toString());
    }

    /// What an event tells; whatever it leaves out, it tells of a breach.
    public static Breach of(Json.Obj data) {
        Change change = Change.CHANGED;
        for (Change each : Change.values()) {
            change =
                    data.optionalText("change").filter(each.toString()::equals).isPresent()
                            ? each
                            : change;
        }
        return new Breach(
                data.optionalText("path").orElse(""),
                change,
                data.optionalText("hash")
                        .filter(Breach::isHash)
                        .map(ContentHash::parse)
                        .orElse(null),
                data.optionalText("lock").orElse(""),
                data.optionalText("source").orElse(""));
    }

    private static boolean isHash(String text) {
        try {
            ContentHash.parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
