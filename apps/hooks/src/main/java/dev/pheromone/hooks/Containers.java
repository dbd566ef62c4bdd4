package dev.pheromone.hooks;

import java.util.List;
import java.util.Set;

/// `docker`, `kubectl` and their like. The first words are commands and no files; all that follow
/// are taken as those of a program that nobody knows, but a build only reads.
final class Containers {
    /// Words after which another one says what to do.
    private static final Set<String> GROUPS =
            Set.of("compose", "buildx", "image", "container", "volume", "network", "system");

    /// Their words are names of containers and images.
    private static final Set<String> TAKING_NONE =
            Set.of(
                    "stop", "start", "restart", "kill", "rm", "rmi", "pause", "unpause", "logs",
                    "inspect", "top", "stats", "port", "wait", "pull", "push", "tag", "down");

    private Containers() {}

    static void follow(Invocation call) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        int commands = 0;
        if (isWord(arguments, 0)) {
            boolean group = GROUPS.contains(arguments.getFirst().toString());
            commands = group && isWord(arguments, 1) ? 2 : 1;
        }
        Invocation told = call.withArguments(call.program(), call.from(commands));
        boolean builds =
                commands > 0
                        && arguments.get(commands - 1).is("build")
                        && !told.hasShortened("-o", "--output", "--cache-to", "--iidfile");
        if (commands > 0 && TAKING_NONE.contains(arguments.get(commands - 1).toString())) {
            told =
                    call.withArguments(
                            call.program(),
                            told.arguments().stream().filter(word -> !word.hasGap()).toList());
        }
        if (!builds) {
            UnknownProgram.follow(told);
            return;
        }
        for (Shape word : told.arguments()) {
            for (Shape candidate : UnknownProgram.candidates(word)) {
                call.guess(candidate, Role.READ.access(), Extent.TREE);
            }
        }
        LastNet.noteInput(told);
        LastNet.noteWritten(told);
    }

    private static boolean isWord(List<Shape> arguments, int index) {
        return index < arguments.size()
                && arguments.get(index).isPlain()
                && arguments.get(index).toString().matches("[a-z][a-z-]*");
    }
}
