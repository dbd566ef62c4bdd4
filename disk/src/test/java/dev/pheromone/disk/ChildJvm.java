package dev.pheromone.disk;

import java.util.ArrayList;
import java.util.List;

/// How to start a main class of these tests in a JVM of its own.
///
/// @param before a command that starts the JVM in its place, such as one that changes the user
/// @param classPath what the JVM may load from
public record ChildJvm(List<String> before, String classPath) {

    /// Switches that make a short life shorter: most of these processes are killed within a second.
    private static final List<String> QUICK_START =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

    public ChildJvm {
        before = List.copyOf(before);
    }

    public static ChildJvm plain() {
        return new ChildJvm(List.of(), System.getProperty("java.class.path"));
    }

    public static String java() {
        return ProcessHandle.current().info().command().orElseThrow();
    }

    public ProcessBuilder of(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(before);
        command.add(java());
        command.addAll(QUICK_START);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }
}
