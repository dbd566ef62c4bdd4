package dev.pheromone.hooks;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// What a shell command would touch, told without running it.
final class ShellCommand {
    private ShellCommand() {}

    static Touches touches(String command, Path folder, Map<String, String> environment) {
        var log = new TouchLog();
        note(command, Shape.of(folder.toString()), environment, log);
        return log.touches();
    }

    /// Notes in `log` what `command` touches when a shell runs it.
    static void note(String command, Shape folder, Map<String, String> environment, TouchLog log) {
        try {
            new ShellRun(log).script(Shape.of(command), ShellState.in(folder, environment));
        } catch (ShellSyntaxException e) {
            log.doubt("the command is not understood: " + e.getMessage());
        }
    }

    /// Notes in `log` what a program touches that is started with these words.
    static void note(
            List<String> words, Shape folder, Map<String, String> environment, TouchLog log) {
        try {
            new ShellRun(log)
                    .call(
                            words.stream().map(Shape::of).toList(),
                            ShellState.in(folder, environment),
                            null);
        } catch (ShellSyntaxException e) {
            log.doubt("the command is not understood: " + e.getMessage());
        }
    }
}
