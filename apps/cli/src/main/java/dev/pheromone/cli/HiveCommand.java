package dev.pheromone.cli;

import java.io.IOException;

/// A verb that works on a hive: it is found and opened before, and closed behind it.
interface HiveCommand extends Command {

    Answer run(Invocation call, OpenHive hive) throws IOException;

    @Override
    default Answer run(Invocation call) throws IOException {
        try (OpenHive hive = OpenHive.of(call)) {
            return run(call, hive);
        }
    }
}
