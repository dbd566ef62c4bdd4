package dev.pheromone;

import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.text.Json;

/// A lock as it is told over the network: its kind and source, never the paths that it covers.
public final class LockJson {

    private LockJson() {}

    /// The JSON of `lock`.
    public static Json.Obj write(Lock lock) {
        return Json.obj().put("kind", lock.kind().toString()).put("source", lock.source());
    }

    /// The lock that `json` tells of, without its paths.
    public static Lock read(Json.Obj json) {
        String word = json.text("kind");
        for (LockKind kind : LockKind.values()) {
            if (kind.toString().equals(word)) {
                return new Lock(kind, "", json.text("source"), "");
            }
        }
        throw new IllegalArgumentException(
                "lock: found \"" + word + "\", expected dnr, do-not-alter or do-not-erase");
    }
}
