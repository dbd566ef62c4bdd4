package dev.pheromone.disk;

import org.opentest4j.TestAbortedException;

/// How a test says that this machine lacks what it needs: by name, in its output and in the report,
/// where it counts as skipped. It never passes for one that ran.
public final class NotRun {

    private NotRun() {}

    public static TestAbortedException because(String test, String reason) {
        String line = "NOT RUN: " + test + ": " + reason;
        System.out.println(line);
        return new TestAbortedException(line);
    }
}
