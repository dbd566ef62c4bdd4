package dev.pheromone.cli.frame;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.hive.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Decides whether a hive may be made in a folder: not in the folders of another hive, and not
/// where a lock of any hive around it forbids to write.
public final class HivePlace {

    private static final List<String> HIVE_FOLDERS = List.of(HiveLayout.HIVE_FOLDER, ".embargo");

    private final Invocation call;

    public HivePlace(Invocation call) {
        this.call = call;
    }

    /// Fails if no hive may be made in `folder`, which is absolute and need not exist.
    public void require(Path folder) throws IOException {
        requireOutsideHiveFolders(folder, folder);
        Path hive = new HiveLayout(folder).hive();
        // A hive may lie in another one: all of them have a say.
        for (Path at = folder; at != null; ) {
            @Nullable Path next = null;
            for (HiveLayout around : around(at)) {
                if (OpenHive.guard(call, around).check(hive, Access.WRITE)
                        instanceof Verdict.Blocked blocked) {
                    throw new WithheldException(hive, blocked);
                }
                Path above = around.root().getParent();
                next = above != null && at.startsWith(around.root()) ? above : next;
            }
            at = next;
        }
        // Only now: what is locked is not looked at.
        requireOutsideHiveFolders(call.userFiles().real(folder), folder);
    }

    /// The hives of a path; none if that can't be told, which making the hive finds out itself.
    private static List<HiveLayout> around(Path path) throws IOException {
        try {
            return HiveRoot.around(path);
        } catch (NoHiveException e) {
            return List.of();
        }
    }

    private static void requireOutsideHiveFolders(Path place, Path folder) {
        String name = hiveFolderIn(place);
        if (name != null) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "%s lies in %s, which is a hive's own".formatted(folder, name))
                    .hint("name a folder beside it");
        }
    }

    /// The first name in `place` that only a hive's own folders have, or null.
    public static @Nullable String hiveFolderIn(Path place) {
        for (Path name : place) {
            if (HIVE_FOLDERS.stream().anyMatch(name.toString()::equalsIgnoreCase)) {
                return name.toString();
            }
        }
        return null;
    }
}
