package dev.pheromone.hooks;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Locks held in memory: patterns below `/repo`, links and names of files that don't exist.
final class TableLocks implements Locks {
    static final Path ROOT = Path.of("/repo");

    /// Another hive, which has its say once a place in it is named.
    private static final Path SECOND = Path.of("/second");

    /// Where the hook runs from.
    private static final Path CHECKOUT = Path.of("/home/sam/pheromone");

    private final List<LockedArea> areas = new ArrayList<>();
    private final Map<Path, Path> links = new HashMap<>();
    private final Map<Path, List<String>> folders = new HashMap<>();
    private @Nullable ContentHash content;

    private final List<Path> roots = new ArrayList<>(List.of(ROOT));

    static TableLocks none() {
        return new TableLocks();
    }

    /// The locks of a situation in the table of commands.
    static TableLocks of(String situation) {
        TableLocks locks =
                none().withNames("", "README.md", "a.txt", "docs", "sub", "src")
                        .withNames(".deia/inbox/code", "there.md", "new.part");
        return switch (situation) {
            case "none" -> locks;
            case "dnr" -> locks.with(LockKind.DNR, "secret.txt").with(LockKind.DNR, "vault/**");
            case "alter" ->
                    locks.with(LockKind.DO_NOT_ALTER, "VERSION")
                            .with(LockKind.DO_NOT_ALTER, "release/**");
            case "erase" -> locks.with(LockKind.DO_NOT_ERASE, "logs/**");
            case "project" ->
                    locks.with(LockKind.DNR, "src/secret.txt")
                            .with(LockKind.DNR, "src/keys/**")
                            .with(LockKind.DNR, ".env")
                            .with(LockKind.DO_NOT_ALTER, "src/keep.txt")
                            .with(LockKind.DO_NOT_ERASE, "src/kept.txt");
            case "file" -> locks.with(LockKind.DNR, "src/secret.txt").with(LockKind.DNR, ".env");
            case "one" -> locks.with(LockKind.DO_NOT_ALTER, "src/keep.txt");
            case "all" -> locks.with(LockKind.DNR, "**");
            case "hive" -> {
                var lock = new Lock(LockKind.DO_NOT_ERASE, ".deia/**", "rotg-2", ".deia/ROTG-2");
                locks.areas.add(new LockedArea(lock, Set.of(Access.values()), List.of(ROOT)));
                yield locks;
            }
            default -> throw new IllegalArgumentException("situation " + situation);
        };
    }

    TableLocks with(LockKind kind, String pattern) {
        areas.add(
                LockedArea.of(
                        new Lock(kind, pattern, "list", ".deia/" + kind + "/test.yaml"),
                        List.of(ROOT)));
        return this;
    }

    TableLocks withLink(String from, String to) {
        links.put(ROOT.resolve(from), ROOT.resolve(to));
        return this;
    }

    /// A lock on this content, wherever it lies.
    TableLocks withContent(String text) {
        content = ContentHash.of(text.getBytes(StandardCharsets.UTF_8));
        return with(LockKind.DO_NOT_ALTER, "nothing-else");
    }

    @Override
    public Verdict checkContent(Path path, ContentHash written) {
        return written.equals(content)
                ? new Verdict.Blocked(areas.getFirst().lock(), "this content is locked")
                : Verdict.ALLOWED;
    }

    TableLocks withNames(String folder, String... names) {
        folders.put(ROOT.resolve(folder), List.of(names));
        return this;
    }

    @Override
    public List<Path> roots() {
        return roots;
    }

    @Override
    public Locks over(Collection<Path> places) {
        if (places.stream().anyMatch(place -> real(place).startsWith(SECOND))) {
            roots.add(SECOND);
            areas.add(
                    LockedArea.of(
                            new Lock(LockKind.DNR, "vault/**", "list", "/second/.deia/do-not-read"),
                            List.of(SECOND)));
        }
        return this;
    }

    @Override
    public List<LockedArea> areas() {
        return areas;
    }

    @Override
    public Verdict check(Path path, Access access) {
        Path real = real(path.normalize());
        for (LockedArea area : areas) {
            Path root = area.roots().getFirst();
            if (area.forbids().contains(access) && real.startsWith(root)) {
                String pattern = area.lock().path();
                String below = root.relativize(real).toString();
                String top =
                        pattern.endsWith("/**")
                                ? pattern.substring(0, pattern.length() - 3)
                                : pattern;
                if (pattern.equals("**") || below.equals(top) || below.startsWith(top + "/")) {
                    return new Verdict.Blocked(area.lock(), "locked in the test");
                }
            }
        }
        return Verdict.ALLOWED;
    }

    @Override
    public Path real(Path path) {
        for (Map.Entry<Path, Path> link : links.entrySet()) {
            if (path.startsWith(link.getKey())) {
                return link.getValue().resolve(link.getKey().relativize(path)).normalize();
            }
        }
        return path;
    }

    @Override
    public List<Path> forPeople() {
        return List.of(CHECKOUT.resolve("rsm"), CHECKOUT.resolve("target/rsm"));
    }

    @Override
    public List<String> names(Path folder) {
        return folders.getOrDefault(folder, List.of());
    }
}
