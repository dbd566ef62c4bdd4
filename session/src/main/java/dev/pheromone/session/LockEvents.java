package dev.pheromone.session;

import dev.pheromone.address.Lane;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.log.GovernanceLog;
import dev.pheromone.lock.Breach;
import dev.pheromone.lock.Leave;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The record of locks set, lifted and overridden, in the event log or the embargo's. A lock never
/// depends on it: what can't be written is told as a warning.
final class LockEvents {

    /// How many breaches are told one by one.
    private static final int TOLD_MAX = 5;

    private final Caller caller;
    private final HiveLayout layout;
    private final LockFiles guard;

    LockEvents(Caller caller, HiveLayout layout, LockFiles guard) {
        this.caller = caller;
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
            data = data.put("expires", IsoTime.format(expires));
        }
        append("lock_set", data.put("by", caller.actor().name()).put("declared_in", declaredIn));
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

    /// A person let something be written in spite of a lock.
    void permitted(Leave leave, String file, Authority.Person person) {
        append(
                "override_given",
                Json.obj()
                        .put("override", file)
                        .put("target", leave.target())
                        .put("hash", leave.hash().toString())
                        .put("reason", leave.reason())
                        .put("requestor", leave.requestor())
                        .put("expires", IsoTime.format(leave.ends()))
                        .put("by", person.name())
                        .put("proof", person.proof()));
    }

    /// What was found to have been done past the guard, under a lock that is lifted. People are
    /// told of it, too.
    void breached(List<Breach> breaches) {
        List<RseEvent> events = new ArrayList<>();
        for (Breach breach : breaches) {
            events.add(event(Breach.EVENT, breach.json()));
            if (events.size() <= TOLD_MAX) {
                caller.warn(
                        breach.path()
                                + " "
                                + breach.change()
                                + " while it was under lock "
                                + breach.lock()
                                + ", past the guard");
            }
        }
        if (events.size() > TOLD_MAX) {
            caller.warn("and " + (events.size() - TOLD_MAX) + " more; rsm audit names them");
        }
        append(events);
    }

    private static Json.Obj lock(String kind, String pattern) {
        return Json.obj().put("kind", kind).put("pattern", pattern);
    }

    private void append(String type, Json.Obj data) {
        append(List.of(event(type, data)));
    }

    private RseEvent event(String type, Json.Obj data) {
        return new RseEvent.Other(caller.now(), type, Lane.GOVERNANCE, caller.actor().name(), data);
    }

    private void append(List<RseEvent> events) {
        try (GovernanceLog log = GovernanceLog.of(layout, guard)) {
            log.append(events);
        } catch (IOException e) {
            caller.warn("event log: " + FileProblem.describe(e));
        }
    }
}
