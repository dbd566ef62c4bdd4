package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.FileHash;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// A guard of the user's own: programs `policy_guard.*` in the hive's tools folder, each of which
/// must end with 0 for the hive to be free.
///
/// They came with a repository, so they are foreign code: one runs only if this very content was
/// approved by the person at this machine. One that was not keeps the hive closed.
///
/// A guard is asked about the hive first, and then about each of its rooms that something is done
/// in. It learns the path, the access and the actor from its environment.
public final class OutsideGuard {

    static final String NAME = "policy_guard";

    private static final long PATIENCE_SECONDS = 2;

    /// How many answers are remembered: a command asks about some twenty rooms.
    private static final int ANSWERS_MAX = 256;

    /// How much of what a guard prints is kept, and how much of its last line is shown.
    private static final int OUTPUT_BYTES_MAX = 4096;

    private static final int REASON_LENGTH_MAX = 200;

    /// How long the output of a guard that has ended is waited for: a child of it may keep it open.
    private static final long OUTPUT_PATIENCE_MS = 200;

    /// How many names of a path below the hive make a room: `inbox/code`.
    private static final int ROOM_NAMES_MAX = 2;

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
    private final Supplier<String> actor;

    private final Map<Question, Answer> answers = new ConcurrentHashMap<>();

    /// @param path the hive or one of its rooms, relative to the root
    private record Question(String path, Access access) {}

    private record Answer(Verdict.@Nullable Blocked verdict, List<Path> guards, long nanos) {

        boolean isAbout(List<Path> others) {
            return guards.equals(others) && System.nanoTime() - nanos < ANSWER_NANOS_MAX;
        }
    }

    private sealed interface Run {
        /// @param said the last line that it printed
        record Ended(int exit, String said) implements Run {}

        record NoInterpreter() implements Run {}

        record TooSlow() implements Run {}
    }

    OutsideGuard(
            Disk disk,
            HiveLayout layout,
            Supplier<Set<ContentHash>> approved,
            Supplier<String> actor) {
        this.disk = disk;
        this.layout = layout;
        this.approved = approved;
        this.actor = actor;
    }

    static Path folder(HiveLayout layout) {
        return layout.hive().resolve("tools");
    }

    /// The file whose time says when an outside guard last kept anybody out: no other trace is left
    /// of it, and leases must not end meanwhile.
    public static Path lastRefusal(HiveLayout layout) {
        return layout.embargo().resolve(".policy_guard-refused");
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

    private Question ofHive() {
        return new Question(layout.nameOf(layout.hive()), Access.READ);
    }

    /// Whether there is an answer of these guards about the hive, and it is young enough.
    boolean hasAnswer(List<Path> guards) {
        Answer answer = answers.get(ofHive());
        return answer != null && answer.isAbout(guards);
    }

    /// What the answer about the hive was: null if it is free.
    Verdict.@Nullable Blocked answer() {
        Answer answer = answers.get(ofHive());
        return answer == null ? blocked(NAME, "the outside guard was not asked") : answer.verdict();
    }

    /// Asks every guard about the hive; takes as long as they do.
    void ask(List<Path> guards) {
        ask(guards, ofHive());
    }

    /// What the guards say of the room that `path` is in: null if it is free, or not in the hive.
    Verdict.@Nullable Blocked about(List<Path> guards, Path path, Access access) {
        Path given = path.normalize();
        if (!given.startsWith(layout.hive()) || given.equals(layout.hive())) {
            return null;
        }
        Path below = layout.hive().relativize(given);
        Path room = below.subpath(0, Math.min(ROOM_NAMES_MAX, below.getNameCount()));
        Question question = new Question(layout.nameOf(layout.hive().resolve(room)), access);
        Answer answer = answers.get(question);
        return answer != null && answer.isAbout(guards) ? answer.verdict() : ask(guards, question);
    }

    private Verdict.@Nullable Blocked ask(List<Path> guards, Question question) {
        if (answers.size() >= ANSWERS_MAX) {
            answers.clear();
        }
        Verdict.Blocked verdict = verdict(guards, question);
        answers.put(question, new Answer(verdict, guards, System.nanoTime()));
        return verdict;
    }

    /// The answer where something else is in the place of the tools folder: there may be a guard.
    Verdict.Blocked unclear(Stat found) {
        return blocked(
                layout.nameOf(folder(layout)),
                "whether there is an outside guard is unclear: found %s, expected a folder"
                        .formatted(found.kind()));
    }

    private Verdict.@Nullable Blocked verdict(List<Path> guards, Question question) {
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
                switch (run(command, question)) {
                    case Run.Ended(int exit, String said) when exit != 0 -> {
                        return blocked(
                                name,
                                "the outside guard said "
                                        + exit
                                        + (said.isEmpty() ? ", expected 0" : ": " + said));
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

    private Run run(List<String> command, Question question) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(new File(layout.root().toString()));
        Map<String, String> environment = builder.environment();
        environment.put("RSM_ROOT", layout.root().toString());
        environment.put("RSM_PATH", question.path());
        environment.put("RSM_ACCESS", question.access().name().toLowerCase(Locale.ROOT));
        environment.put("RSM_ACTOR", actor.get());
        builder.redirectErrorStream(true);
        Process process;
        try {
            process = builder.start();
            process.getOutputStream().close();
        } catch (IOException e) {
            return new Run.NoInterpreter();
        }
        FutureTask<String> said = new FutureTask<>(() -> lastLine(process.getInputStream()));
        Thread.ofVirtual().start(said);
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return new Run.TooSlow();
            }
            int exit = process.exitValue();
            return new Run.Ended(exit, exit == 0 ? "" : within(said));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Run.TooSlow();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String within(FutureTask<String> said) throws InterruptedException {
        try {
            return said.get(OUTPUT_PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return "";
        }
    }

    /// The last line that is not blank, as it can be shown. All is read: a guard must not wait for
    /// a reader.
    private static String lastLine(InputStream output) throws IOException {
        byte[] kept = new byte[0];
        byte[] buffer = new byte[OUTPUT_BYTES_MAX];
        try (output) {
            for (int length = output.read(buffer); length >= 0; length = output.read(buffer)) {
                byte[] all = Arrays.copyOf(kept, kept.length + length);
                System.arraycopy(buffer, 0, all, kept.length, length);
                kept =
                        Arrays.copyOfRange(
                                all, Math.max(0, all.length - OUTPUT_BYTES_MAX), all.length);
            }
        }
        String last =
                new String(kept, StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.isBlank())
                        .reduce("", (_, line) -> line)
                        .strip()
                        .replaceAll("[\\p{Cntrl}\\p{Cf}\u2028\u2029]", "?");
        return last.length() <= REASON_LENGTH_MAX
                ? last
                : last.substring(0, REASON_LENGTH_MAX) + "…";
    }

    private static Verdict.Blocked blocked(String declaredIn, String reason) {
        return new Verdict.Blocked(
                new Lock(LockKind.DO_NOT_ALTER, HiveLayout.HIVE_FOLDER, NAME, declaredIn), reason);
    }
}
