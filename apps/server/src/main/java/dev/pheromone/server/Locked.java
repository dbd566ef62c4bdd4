package dev.pheromone.server;

import dev.pheromone.LockJson;
import dev.pheromone.guard.Lock;
import dev.pheromone.text.Json;

/// What is said where a lock forbids what was asked.
final class Locked {

    private Locked() {}

    static Problem problem(Lock lock, String reason) {
        return Problem.of(423, "withheld", "under lock " + lock.kind() + ": " + reason)
                .with(Json.obj().put("lock", LockJson.write(lock)));
    }
}
