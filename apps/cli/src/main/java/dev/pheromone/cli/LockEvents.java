package dev.pheromone.cli;

import dev.pheromone.Json;
import dev.pheromone.Lane;
import dev.pheromone.file.GovernanceLog;
import dev.pheromone.file.HiveLayout;
import dev.pheromone.file.LockFiles;
import dev.pheromone.rse.RseEvent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/// The record of locks set and lifted, in the event log or the mirror's. A lock never depends on
/// it: what can't be written is told as a warning.
final class LockEvents {

    private final Invocation call;
    private final HiveLayout layout;
    private final LockFiles guard;

    LockEvents(Invocation call, HiveLayout layout, LockFiles guard) {
        this.call = call;
        this.layout = layout;
        this.guard = guard;
    }

    void set(
            String kind,
            String pattern,
            String reason,
            @Nullable Instant expires,
            String declaredIn) {
        Json.Obj data = lock(kind, pattern).put("reason", reason);
        if (expires != null) {
            data = data.put("expires", LockAnswer.time(expires));
        }
        append("lock_set", data.put("by", call.actor().name()).put("declared_in", declaredIn));
    }

    void lifted(
            String kind,
            String pattern,
            String reason,
            Authority.Person person,
            String declaredIn) {
        append(
                "lock_lifted",
                lock(kind, pattern)
                        .put("reason", reason)
                        .put("by", person.name())
                        .put("proof", person.proof())
                        .put("declared_in", declaredIn));
    }

    private static Json.Obj lock(String kind, String pattern) {
        return Json.obj().put("kind", kind).put("pattern", pattern);
    }

    private void append(String type, Json.Obj data) {
        try (GovernanceLog log = GovernanceLog.of(layout, guard)) {
            log.append(
                    List.of(
                            new RseEvent.Other(
                                    call.now(), type, Lane.GOVERNANCE, call.actor().name(), data)));
        } catch (IOException e) {
            call.warn("event log: " + FileProblem.describe(e));
        }
    }
}
