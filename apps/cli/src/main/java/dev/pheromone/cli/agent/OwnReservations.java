package dev.pheromone.cli.agent;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.frame.Guards;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.session.hive.Departures;
import dev.pheromone.session.hive.Reserving;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// The reservations of the agent whose hook runs: each hook is a sign of life that renews them, and
/// the end of the session ends them. No decision waits for it longer than a moment.
final class OwnReservations {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final String SESSION_END = "SessionEnd";

    private final Invocation call;
    private final Actor actor;
    private final List<Guards.Guarded> hives;

    /// @param hives those that the agent works in
    OwnReservations(Invocation call, Actor actor, List<Guards.Guarded> hives) {
        this.call = call;
        this.actor = actor;
        this.hives = hives;
    }

    /// Takes the sign of life, or the word that the session is over, that `event` is.
    void note(String event) {
        Thread noting = Thread.ofPlatform().daemon().unstarted(() -> write(event));
        try {
            noting.start();
            noting.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (OutOfMemoryError e) {
            // No thread to be had: the reservations end by their time.
        }
    }

    private void write(String event) {
        for (Guards.Guarded hive : hives) {
            try {
                Reserving reserving =
                        new Reserving(
                                call,
                                actor,
                                hive.layout(),
                                hive.guard(),
                                Departures.of(hive.layout(), hive.guard()));
                if (event.equalsIgnoreCase(SESSION_END)) {
                    reserving.leave();
                } else {
                    reserving.renew();
                }
            } catch (IOException | RuntimeException e) {
                // They end by their time, then; `rsm reserve` tells what is wrong.
            }
        }
    }
}
