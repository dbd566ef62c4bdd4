package dev.pheromone.cli.agent;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.cli.frame.Guards;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.log.GovernanceLog;
import dev.pheromone.hooks.Decision;
import dev.pheromone.hooks.PermittedWrite;
import dev.pheromone.rse.RseEvent;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// The record of what a hook decided, where it was more than letting a call pass. The decision
/// never waits for it longer than a moment, nor changes because of it.
final class HookEvents {

    /// An agent waits for the hook; a log that takes longer than this is stuck.
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final GuardLocks locks;
    private final Actor actor;
    private final InstantSource clock;

    /// @param actor the agent whose call was judged
    HookEvents(GuardLocks locks, Actor actor, InstantSource clock) {
        this.locks = locks;
        this.actor = actor;
        this.clock = clock;
    }

    void tell(Decision decision) {
        if (decision.equals(Decision.FREE)) {
            return;
        }
        Thread telling = Thread.ofPlatform().daemon().unstarted(() -> write(decision));
        try {
            telling.start();
            telling.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (OutOfMemoryError e) {
            // No thread to be had: the decision counts all the same.
        }
    }

    private void write(Decision decision) {
        Guards.Guarded hive = locks.telling(path(decision)).orElse(null);
        if (hive == null) {
            return;
        }
        try (GovernanceLog log = GovernanceLog.of(hive.layout(), hive.guard())) {
            log.append(events(decision, hive.layout()));
        } catch (IOException | RuntimeException e) {
            // Whoever made the call is told all the same.
        }
    }

    private static String path(Decision decision) {
        return switch (decision) {
            case Decision.Blocked blocked -> blocked.path();
            case Decision.Free free -> free.overridden().getFirst().path().toString();
        };
    }

    private List<RseEvent> events(Decision decision, HiveLayout hive) {
        List<RseEvent> events = new ArrayList<>();
        switch (decision) {
            case Decision.Blocked blocked ->
                    events.add(
                            new RseEvent.PolicyGuard(
                                    clock.instant(),
                                    Lane.GOVERNANCE,
                                    actor,
                                    blocked.lock().kind(),
                                    nameOf(blocked.path(), hive),
                                    RseEvent.PolicyGuard.Mode.BLOCKED,
                                    blocked.lock().source()));
            case Decision.Free free -> {
                for (PermittedWrite write : free.overridden()) {
                    events.add(
                            GovernanceLog.overridden(
                                    write.leave(),
                                    nameOf(write.path().toString(), hive),
                                    write.content(),
                                    actor.name(),
                                    clock.instant()));
                }
            }
        }
        return events;
    }

    private static String nameOf(String path, HiveLayout hive) {
        try {
            return path.startsWith("/") ? hive.nameOf(Path.of(path).normalize()) : path;
        } catch (InvalidPathException e) {
            return path;
        }
    }
}
