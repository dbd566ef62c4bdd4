package dev.pheromone.tidy;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What certain sources may not call, by the names that stand in their code.
record BannedCalls(Predicate<JavaSource> where, Pattern calls, String message) implements Rule {
    private static final String FILES =
            "\\b(?:Files|FileChannel|AsynchronousFileChannel|RandomAccessFile|FileInputStream"
                + "|FileOutputStream|FileReader|FileWriter|java\\.io\\.File|toFile|toRealPath)\\b";
    private static final String THREADS =
            "\\b(?:Thread|Executors|ExecutorService|CompletableFuture|ForkJoinPool|Timer)\\b";
    private static final String CLOCKS =
            "\\b(?:Clock|InstantSource|currentTimeMillis|nanoTime)\\b|\\.now\\(";

    /// The classes through which a module touches files, and no others: hive paths go through the
    /// guarded one, the user's keys through `UserFolder`, what a person names on the command line
    /// through `UserFiles`.
    private static final Map<String, Set<String>> FILE_CLASSES =
            Map.of(
                    "transports/file",
                            Set.of(
                                    "Disk",
                                    "LocalDisk",
                                    "GuardedFiles",
                                    "KernelLock",
                                    "OutsideGuard"),
                    "transports/nats", Set.of(),
                    "transports/mqtt", Set.of(),
                    "hive", Set.of(),
                    "redaction", Set.of(),
                    "session", Set.of("UserFolder"),
                    "transports/http", Set.of(),
                    "apps/hooks", Set.of(),
                    "apps/server", Set.of(),
                    "apps/cli", Set.of("UserFiles", "CommandFiles"));

    static BannedCalls filesPastTheGuard() {
        return new BannedCalls(
                source ->
                        !source.test()
                                && FILE_CLASSES.containsKey(source.module())
                                && !FILE_CLASSES.get(source.module()).contains(source.name()),
                Pattern.compile(FILES),
                "touches files past the guard: %s");
    }

    static BannedCalls effectsInCore() {
        return new BannedCalls(
                source -> !source.test() && source.module().equals("core"),
                Pattern.compile(FILES + "|" + THREADS + "|" + CLOCKS),
                "core has no files, no threads and no clock: %s");
    }

    static BannedCalls exitsOutsideMain() {
        return new BannedCalls(
                source -> !source.test() && !source.name().equals("Main"),
                Pattern.compile("\\bSystem\\s*\\.\\s*exit\\b|\\.\\s*halt\\s*\\("),
                "only Main ends the process: %s");
    }

    static BannedCalls testsThatDoNotTest() {
        return new BannedCalls(
                JavaSource::test,
                Pattern.compile(
                        "@Disabled\\b|\\bassum(?:e[A-Z]\\w*|ingThat)\\b|\\bThread\\s*\\.\\s*sleep\\b|\\bmockito\\b"),
                "a test runs, waits for a condition, and meets the real thing: %s");
    }

    @Override
    public Stream<Problem> problems(Repository repository) {
        return repository
                .sources()
                .filter(where)
                .flatMap(source -> source.problemsAt(calls, message));
    }
}
