package dev.pheromone.file;

import dev.pheromone.ContentHash;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// A guard of the user's own: programs `policy_guard.*` in the hive's tools folder, each of which
/// must end with 0 for the hive to be free.
///
/// They came with a repository, so they are foreign code: one runs only if this very content was
/// approved by the person at this machine. One that was not keeps the hive closed.
final class OutsideGuard {

    static final String NAME = "policy_guard";

    private static final long PATIENCE_SECONDS = 2;

    /// For how long an answer holds.
    private static final long ANSWER_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    /// What runs a file with this ending; one without an ending runs by itself.
    private static final Map<String, List<String>> INTERPRETERS =
            Map.ofEntries(
                    Map.entry("sh", List.of("sh")),
                    Map.entry("bash", List.of("bash")),
                    Map.entry("zsh", List.of("zsh")),
                    Map.entry("py", List.of("python3")),
                    Map.entry("js", List.of("node")),
                    Map.entry("rb", List.of("ruby")),
                    Map.entry("pl", List.of("perl")),
                    Map.entry("ps1", List.of("pwsh", "-NoProfile", "-NonInteractive", "-File")));

    private final Disk disk;
    private final HiveLayout layout;
    private final Supplier<Set<ContentHash>> approved;

    private volatile @Nullable Answer last;

    private record Answer(Verdict.@Nullable Blocked verdict, List<Path> guards, long nanos) {}

    private sealed interface Run {
        record Ended(int exit) implements Run {}

        record NoInterpreter() implements Run {}

        record TooSlow() implements Run {}
    }

    OutsideGuard(Disk disk, HiveLayout layout, Supplier<Set<ContentHash>> approved) {
        this.disk = disk;
        this.layout = layout;
        this.approved = approved;
    }

    static Path folder(HiveLayout layout) {
        return layout.hive().resolve("tools");
    }

    /// The file whose time says when an outside guard last kept anybody out: no other trace is left
    /// of it, and leases must not end meanwhile.
    static Path lastRefusal(HiveLayout layout) {
        return layout.mirror().resolve(".policy_guard-refused");
    }

    void noteRefusal(Instant now) {
        Path file = lastRefusal(layout);
        try {
            disk.openAppend(file).close();
            disk.touch(file, now);
        } catch (IOException e) {
            // The answer counts all the same; at worst a lease ends early, and work is done twice.
        }
    }

    /// Whether a file in the tools folder is a guard.
    static boolean isGuard(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.equals(NAME) || name.startsWith(NAME + ".");
    }

    /// Whether the last answer was about these guards, and is young enough.
    boolean hasAnswer(List<Path> guards) {
        Answer answer = last;
        return answer != null
                && answer.guards().equals(guards)
                && System.nanoTime() - answer.nanos() < ANSWER_NANOS_MAX;
    }

    /// What the last answer was: null if the hive is free.
    Verdict.@Nullable Blocked answer() {
        Answer answer = last;
        return answer == null ? blocked(NAME, "the outside guard was not asked") : answer.verdict();
    }

    /// Asks every guard; takes as long as they do.
    void ask(List<Path> guards) {
        last = new Answer(verdict(guards), guards, System.nanoTime());
    }

    /// The answer where something else is in the place of the tools folder: there may be a guard.
    Verdict.Blocked unclear(Stat found) {
        return blocked(
                layout.nameOf(folder(layout)),
                "whether there is an outside guard is unclear: found %s, expected a folder"
                        .formatted(found.kind()));
    }

    private Verdict.@Nullable Blocked verdict(List<Path> guards) {
        boolean ran = false;
        for (Path guard : guards) {
            String name = layout.nameOf(guard);
            try {
                List<String> command = command(guard);
                ContentHash hash = FileHash.of(disk, guard);
                if (!approved.get().contains(hash)) {
                    return blocked(
                            name,
                            "the outside guard is not approved as it is now; look at it, then type"
                                    + " rsm lock trust-guard");
                }
                switch (run(command)) {
                    case Run.Ended(int exit) when exit != 0 -> {
                        return blocked(name, "the outside guard said " + exit + ", expected 0");
                    }
                    case Run.Ended ended -> ran = true;
                    case Run.TooSlow slow -> {
                        return blocked(
                                name,
                                "the outside guard did not answer within %d s"
                                        .formatted(PATIENCE_SECONDS));
                    }
                    case Run.NoInterpreter none -> {}
                }
                if (!FileHash.of(disk, guard).equals(hash)) {
                    return blocked(name, "the outside guard changed while it ran");
                }
            } catch (IOException e) {
                return blocked(name, "the outside guard can't be read: " + Trouble.reason(e));
            }
        }
        return ran ? null : blocked(NAME, "no outside guard here can be run");
    }

    private static List<String> command(Path guard) {
        String name = String.valueOf(guard.getFileName());
        List<String> command =
                new ArrayList<>(
                        INTERPRETERS.getOrDefault(
                                name.substring(name.lastIndexOf('.') + 1), List.of()));
        command.add(guard.toString());
        return command;
    }

    private Run run(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(new File(layout.root().toString()));
        builder.environment().put("RSM_ROOT", layout.root().toString());
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process;
        try {
            process = builder.start();
            process.getOutputStream().close();
        } catch (IOException e) {
            return new Run.NoInterpreter();
        }
        try {
            return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    ? new Run.Ended(process.exitValue())
                    : new Run.TooSlow();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Run.TooSlow();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static Verdict.Blocked blocked(String declaredIn, String reason) {
        return new Verdict.Blocked(
                new Lock(LockKind.DO_NOT_ALTER, HiveLayout.HIVE_FOLDER, NAME, declaredIn), reason);
    }
}
