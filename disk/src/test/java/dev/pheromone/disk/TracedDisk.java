package dev.pheromone.disk;

import dev.pheromone.guard.Pass;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The real disk, with every access below one folder written down, with its times.
///
/// Times are those of the machine's one steady clock, so that several processes can be compared.
public final class TracedDisk {

    private final Path folder;
    private final List<String> accesses = Collections.synchronizedList(new ArrayList<>());

    /// When this thread asked to be let in, for what it does now; 0 if it did not ask.
    private final ThreadLocal<Long> enteredNanos = ThreadLocal.withInitial(() -> 0L);

    /// One access.
    ///
    /// @param enteredNanos when its operation began to ask the guard, 0 if it did not
    public record Access(long beganNanos, long endedNanos, long enteredNanos, String what) {

        public static Access parse(String line) {
            String[] fields = line.split(" ", 4);
            return new Access(
                    Long.parseLong(fields[0]),
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[2]),
                    fields[3]);
        }
    }

    public TracedDisk(Path folder) {
        this.folder = folder;
    }

    public Disk disk() {
        return traced(Disk.class, new LocalDisk(), null);
    }

    /// `real`, with the time at which each operation asked written down.
    public PolicyGuard guard(PolicyGuard real) {
        return () -> {
            long outer = enteredNanos.get();
            long asked = System.nanoTime();
            Pass pass = real.enter();
            // An operation within another is part of it.
            enteredNanos.set(outer == 0 ? asked : outer);
            return new Pass() {
                @Override
                public Verdict check(Path path, dev.pheromone.guard.Access access) {
                    return pass.check(path, access);
                }

                @Override
                public void close() {
                    enteredNanos.set(outer);
                    pass.close();
                }
            };
        };
    }

    /// Writes everything down, a line an access.
    public void save(Path file) throws IOException {
        Files.write(file, List.copyOf(accesses));
    }

    private <T> T traced(Class<T> type, T real, Path opened) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            long began = System.nanoTime();
                            try {
                                Object result = method.invoke(real, arguments);
                                return switch (result) {
                                    case Disk.Appender appender ->
                                            traced(
                                                    Disk.Appender.class,
                                                    appender,
                                                    (Path) arguments[0]);
                                    case Disk.Handle draft ->
                                            traced(Disk.Handle.class, draft, (Path) arguments[0]);
                                    case Disk.Reader reader ->
                                            traced(Disk.Reader.class, reader, (Path) arguments[0]);
                                    case null, default -> result;
                                };
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            } finally {
                                note(method.getName(), arguments, opened, began);
                            }
                        }));
    }

    private void note(String name, Object[] arguments, Path opened, long began) {
        List<Path> paths = new ArrayList<>();
        if (opened != null && !name.equals("close")) {
            paths.add(opened);
        }
        if (arguments != null) {
            for (Object argument : arguments) {
                if (argument instanceof Path path) {
                    paths.add(path);
                }
            }
        }
        for (Path path : paths) {
            if (path.startsWith(folder)) {
                accesses.add(
                        "%d %d %d %s %s"
                                .formatted(
                                        began, System.nanoTime(), enteredNanos.get(), name, path));
            }
        }
    }
}
