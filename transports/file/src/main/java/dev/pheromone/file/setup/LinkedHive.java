package dev.pheromone.file.setup;

import dev.pheromone.config.HiveYaml;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.YamlText;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GitPointer;
import dev.pheromone.disk.GitTree;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockFiles;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What is said of hives in linked git work trees: whether one is to be a hive of its own, and what
/// to do where there is none to share.
public final class LinkedHive {

    private final Disk disk;

    LinkedHive(Disk disk) {
        this.disk = disk;
    }

    /// Whether `hive.yaml` says that the hive in `root` is not shared.
    boolean isSeparate(Path root) throws NoHiveException, IOException {
        HiveLayout layout = new HiveLayout(root);
        Disk files = new GuardedFiles(disk, LockFiles.passing(disk, layout));
        Path file = layout.configuration();
        try {
            Optional<byte[]> yaml = RegularFile.read(files, file, YamlText.BYTES_MAX);
            return yaml.isPresent() && HiveYaml.parse(yaml.get()).separate();
        } catch (WithheldException e) {
            // Shared is the rule; then the locks of the hive that is shared decide.
            return false;
        } catch (MalformedYamlException e) {
            throw new NoHiveException(
                    file + ": " + e.getMessage(),
                    "fix it: it decides whether this work tree has a hive of its own");
        }
    }

    /// What the linked work trees of its repository have in the place of the hive at `layout`,
    /// without those that are hives of their own.
    public static List<HiveLayout> copiesOf(HiveLayout layout, Disk disk) throws IOException {
        if (!(GitTree.around(layout.root(), disk) instanceof GitTree.Main(Path top))) {
            return List.of();
        }
        LinkedHive linkedHive = new LinkedHive(disk);
        List<HiveLayout> copies = new ArrayList<>();
        for (Path tree : GitPointer.linkedTreesOf(top, disk)) {
            HiveLayout copy = new HiveLayout(tree.resolve(top.relativize(layout.root())));
            try {
                if (!linkedHive.isSeparate(copy.root())) {
                    copies.add(copy);
                }
            } catch (NoHiveException e) {
                // Nobody uses it before that is fixed.
            }
        }
        return copies;
    }

    NoHiveException none(GitTree.Linked tree, Path folder) {
        Path main = tree.counterpartOf(folder);
        return new NoHiveException(
                "no hive in %s, whose hive the linked work tree %s shares"
                        .formatted(main, tree.top()),
                "make one with: rsm init %s; %s".formatted(ShellWord.of(main), separating(folder)));
    }

    NoHiveException none(GitTree.OfBare tree) {
        return new NoHiveException(
                "no hive above %s, a work tree of the bare repository %s"
                        .formatted(tree.top(), tree.repository()),
                "make one in a folder that holds all its work trees, with: rsm init DIR; "
                        + separating(tree.top()));
    }

    NoHiveException lost(GitTree.Lost tree) {
        return new NoHiveException(
                "the main work tree of %s can't be found: %s".formatted(tree.top(), tree.reason()),
                "type git worktree repair in the main work tree, or name its hive with --root; "
                        + separating(tree.top()));
    }

    private static String separating(Path folder) {
        return "for a hive of its own write \"separate: true\" into "
                + new HiveLayout(folder).configuration();
    }
}
