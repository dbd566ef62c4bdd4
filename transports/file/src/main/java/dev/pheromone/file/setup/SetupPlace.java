package dev.pheromone.file.setup;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GitTree;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.file.setup.Finding.Severity;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Where a hive is to be made, looked at before anything is.
///
/// @param root real and absolute; need not exist
record SetupPlace(Path root, List<Finding> findings) {

    static SetupPlace of(Disk disk, Path folder) throws SetupRefusedException, IOException {
        Path absolute = folder.toAbsolutePath();
        Path existing = nearestExisting(disk, absolute);
        Path real = disk.realPath(existing);
        Path root = real.resolve(existing.relativize(absolute)).normalize();
        checkFolder(disk, real);
        checkFolder(disk, new HiveLayout(root).hive());
        checkWorkTree(disk, real, root);
        List<Finding> findings = new ArrayList<>(new Volume(disk).findings(real));
        hiveAbove(disk, root).ifPresent(findings::add);
        return new SetupPlace(root, List.copyOf(findings));
    }

    private static Path nearestExisting(Disk disk, Path absolute) {
        @Nullable Path at = absolute;
        while (at != null && !disk.exists(at)) {
            at = at.getParent();
        }
        return at == null ? absolute : at;
    }

    private static void checkFolder(Disk disk, Path path)
            throws SetupRefusedException, IOException {
        Optional<Stat> stat = disk.stat(path);
        if (stat.isPresent() && !stat.get().isFolder()) {
            throw new SetupRefusedException(
                    "%s: found %s, expected a folder".formatted(path, stat.get().kind()),
                    "move it away, or make the hive elsewhere");
        }
    }

    /// A linked work tree shares the main tree's hive, so that one is the hive to make.
    private static void checkWorkTree(Disk disk, Path existing, Path root)
            throws SetupRefusedException, IOException {
        GitTree tree = GitTree.around(existing, disk);
        if (tree instanceof GitTree.None || tree instanceof GitTree.Main) {
            return;
        }
        LinkedHive linkedHive = new LinkedHive(disk);
        try {
            if (linkedHive.isSeparate(root)) {
                return;
            }
        } catch (NoHiveException e) {
            throw new SetupRefusedException(String.valueOf(e.getMessage()), e.hint());
        }
        String separate =
                "for a hive of its own first write \"separate: true\" into "
                        + new HiveLayout(root).configuration();
        switch (tree) {
            case GitTree.None _ -> {}
            case GitTree.Main _ -> {}
            case GitTree.Linked linked ->
                    throw new SetupRefusedException(
                            "%s is a linked work tree, which shares the hive of its main one, %s"
                                    .formatted(linked.top(), linked.main()),
                            "make the hive there: rsm init %s; %s"
                                    .formatted(ShellWord.of(linked.counterpartOf(root)), separate));
            case GitTree.OfBare bare ->
                    throw new SetupRefusedException(
                            "%s is one of the work trees of the bare repository %s, which share a hive"
                                    .formatted(bare.top(), bare.repository()),
                            "make it in a folder that holds all of them: rsm init DIR; "
                                    + separate);
            case GitTree.Lost lost ->
                    throw new SetupRefusedException(
                            "the main work tree of %s, which has its hive, can't be found: %s"
                                    .formatted(lost.top(), lost.reason()),
                            "type git worktree repair in the main work tree; " + separate);
        }
    }

    private static Optional<Finding> hiveAbove(Disk disk, Path root) {
        for (Path at = root.getParent(); at != null; at = at.getParent()) {
            if (disk.exists(new HiveLayout(at).hive())) {
                return Optional.of(
                        new Finding(
                                Severity.WARNING,
                                root.toString(),
                                "a hive inside the hive of " + at,
                                "one hive: below here its mail is not seen any more",
                                "to undo, move %s away".formatted(new HiveLayout(root).hive())));
            }
        }
        return Optional.empty();
    }
}
