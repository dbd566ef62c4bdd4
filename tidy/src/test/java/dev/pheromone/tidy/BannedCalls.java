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
            Map.ofEntries(
                    Map.entry("disk", Set.of("Disk", "LocalDisk", "GuardedFiles", "KernelLock")),
                    Map.entry("locks", Set.of("OutsideGuard")),
                    Map.entry("transports/file", Set.of()),
                    Map.entry("transports/nats", Set.of()),
                    Map.entry("transports/mqtt", Set.of()),
                    Map.entry("hive", Set.of()),
                    Map.entry("redaction", Set.of()),
                    Map.entry("session", Set.of("UserFolder")),
                    Map.entry("transports/http", Set.of()),
                    Map.entry("apps/hooks", Set.of()),
                    Map.entry("apps/mcp", Set.of()),
                    Map.entry("apps/server", Set.of()),
                    Map.entry(
                            "apps/cli",
                            Set.of(
                                    "UserFiles",
                                    "CommandFiles",
                                    "PlainCalls",
                                    "Training",
                                    "ResidentAddress",
                                    "ResidentBuild")));

    private static final Set<String> LINKING_MODULES = Set.of("disk", "locks", "transports/file");

    /// Who makes hard links: the disk and its guard, the one durable write, the marks of work in
    /// progress, which need not outlive a power cut, and whoever tries out a volume.
    private static final Set<String> LINKING_CLASSES =
            Set.of("GuardedFiles", "Publication", "Marks", "VolumeProbe");

    private static final String SYSTEM_CLOCKS =
            "\\b(?:Instant|LocalDate|LocalTime|LocalDateTime|OffsetDateTime|ZonedDateTime)\\s*(?:\\.|::)"
                + "\\s*now\\b|\\bcurrentTimeMillis\\b|\\b(?:Clock|InstantSource)\\s*\\.\\s*"
                + "(?:system|tick)\\w*|\\bnew\\s+Date\\s*\\(\\s*\\)";

    /// Where the clock of the machine comes in: the program's start; locks that are judged for
    /// nobody who has a clock; the disk's own times; contracts that run on real servers.
    private static final Map<String, Set<String>> CLOCK_CLASSES =
            Map.of(
                    "apps/cli", Set.of("Main"),
                    "locks", Set.of("LockFiles"),
                    "transports/file", Set.of("HiveParts"),
                    "testkit", Set.of("SmallServerContract", "Mailstorm"));

    static BannedCalls filesPastTheGuard() {
        return new BannedCalls(
                source ->
                        !source.test()
                                && FILE_CLASSES.containsKey(source.module())
                                && !FILE_CLASSES.get(source.module()).contains(source.name()),
                Pattern.compile(FILES),
                "touches files past the guard: %s");
    }

    static BannedCalls linksPastPublication() {
        return new BannedCalls(
                source ->
                        !source.test()
                                && LINKING_MODULES.contains(source.module())
                                && !LINKING_CLASSES.contains(source.name()),
                Pattern.compile("\\b(?:files|disk)(?:\\(\\))?\\s*\\.\\s*link(?:Into)?\\s*\\("),
                "a durable name is given by Publication: %s");
    }

    static BannedCalls effectsInCore() {
        return new BannedCalls(
                source -> !source.test() && source.module().equals("core"),
                Pattern.compile(FILES + "|" + THREADS + "|" + CLOCKS),
                "core has no files, no threads and no clock: %s");
    }

    static BannedCalls clocksOutOfPlace() {
        return new BannedCalls(
                source ->
                        !source.test()
                                && !source.module().equals("benchmarks")
                                && !CLOCK_CLASSES
                                        .getOrDefault(source.module(), Set.of())
                                        .contains(source.name()),
                Pattern.compile(SYSTEM_CLOCKS),
                "time is an argument, and this is no place for a clock: %s");
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
