package dev.pheromone.cli.frame;

import dev.pheromone.address.Actor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// `rsm wake` in a process of its own: to wake a session takes seconds, and whoever sends mail need
/// not wait for it.
final class WakeCall {

    private WakeCall() {}

    static void start(Invocation call, Path root, Actor actor) {
        Path launcher = call.surroundings().launcher();
        if (launcher == null) {
            return;
        }
        ProcessBuilder builder =
                new ProcessBuilder(
                        List.of(
                                launcher.toString(),
                                "--root",
                                root.toString(),
                                "wake",
                                actor.name(),
                                "--quiet"));
        builder.environment().clear();
        builder.environment().putAll(call.surroundings().env());
        try {
            Process process =
                    builder.directory(call.userFiles().asFolder(call.surroundings().cwd()))
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            process.getOutputStream().close();
        } catch (IOException e) {
            // Mail that nobody was told of waits all the same.
        }
    }
}
