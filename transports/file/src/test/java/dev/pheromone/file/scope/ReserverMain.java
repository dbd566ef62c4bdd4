package dev.pheromone.file.scope;

import dev.pheromone.address.Actor;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.lock.LockFiles;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Waits for a word, then reserves a pattern, and says what became of that.
///
/// Arguments: the hive root, an actor, the pattern.
final class ReserverMain {

    private ReserverMain() {}

    public static void main(String[] args) throws IOException {
        HiveLayout layout = new HiveLayout(Path.of(args[0]));
        Actor actor = Actor.parse(args[1]);
        List<String> patterns = List.of(args[2]);
        LockFiles guard = new LockFiles(layout);
        Reservations reservations = Reservations.of(layout, guard);
        System.out.println("ready");
        if (System.in.read() < 0) {
            return;
        }
        Instant now = Instant.now();
        Reservations.Result result =
                reservations.add(
                        actor,
                        patterns,
                        "",
                        Duration.ofMinutes(5),
                        now,
                        view ->
                                new Holds(layout, guard, actor, now)
                                        .overlapping(patterns, view).stream()
                                                .findFirst()
                                                .orElse(null));
        System.out.println(
                switch (result) {
                    case Reservations.Result.Made _ -> "made";
                    case Reservations.Result.Held _ -> "held";
                    case Reservations.Result.Busy _ -> "busy";
                });
    }
}
