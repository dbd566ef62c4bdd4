package dev.pheromone.cli.frame;

import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;

/// A verb that works on a hive: it is found and opened before, and closed behind it.
public interface HiveCommand extends Command {

    Answer run(Invocation call, OpenHive hive) throws IOException;

    @Override
    default Answer run(Invocation call) throws IOException {
        try (OpenHive hive = TypedHive.open(call)) {
            return run(call, hive);
        }
    }
}
