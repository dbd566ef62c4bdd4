package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.ChildJvm;
import dev.pheromone.disk.NotRun;
import dev.pheromone.file.Ballast.Room;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A real file system that fills up, again and again, in a process that alone can see it. What is
/// tried there is told in `FullDiskMain`.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class DiskFullTest {

    /// Mounts `$2` by the options `$1`, and runs the rest there. When that ends, so does the mount.
    private static final String IN_MOUNT = "mount $1 \"$2\" && shift 2 && exec \"$@\"";

    private static final String ROUNDS = Boolean.getBoolean("rsm.long") ? "25" : "8";

    @TempDir Path folder;

    enum Volume {
        TMPFS(Room.BLOCKS, "-t tmpfs -o size=6m none", ""),
        TMPFS_WITH_FEW_INODES(Room.INODES, "-t tmpfs -o size=64m,nr_inodes=1000 none", ""),
        EXT4(Room.BLOCKS, "-o loop disk.img", "-m 0"),
        EXT4_WITH_FEW_INODES(Room.INODES, "-o loop disk.img", "-m 0 -N 1024");

        final Room room;
        final String mountOptions;
        final String mkfsOptions;

        Volume(Room room, String mountOptions, String mkfsOptions) {
            this.room = room;
            this.mountOptions = mountOptions;
            this.mkfsOptions = mkfsOptions;
        }
    }

    @ParameterizedTest
    @EnumSource(Volume.class)
    void aFullDiskLosesNothing(Volume volume) throws Exception {
        check(volume, FullDiskMain.class, volume.room.name(), ROUNDS);
    }

    @ParameterizedTest
    @EnumSource(Volume.class)
    void aLockIsSetAndSaysWhatTheDiskHasNoRoomFor(Volume volume) throws Exception {
        check(volume, FullDiskLockMain.class, volume.room.name());
    }

    private void check(Volume volume, Class<?> main, String... arguments) throws Exception {
        Path mount = Files.createDirectory(folder.resolve("mount"));
        if (!volume.mkfsOptions.isEmpty()) {
            makeImage(volume);
        }
        List<String> inMount =
                List.of(
                        "unshare",
                        "--mount",
                        "sh",
                        "-c",
                        IN_MOUNT,
                        "sh",
                        volume.mountOptions,
                        mount.toString());
        List<String> nothing = new ArrayList<>(inMount);
        nothing.add("true");
        if (run(volume, new ProcessBuilder(nothing)) != 0) {
            throw notRun(volume, "no mount: " + output().strip());
        }
        ChildJvm child = new ChildJvm(inMount, ChildJvm.plain().classPath());
        List<String> all = new ArrayList<>(List.of(mount.toString()));
        all.addAll(List.of(arguments));
        int exit = run(volume, child.of(main, all.toArray(String[]::new)));
        System.out.print(volume + ": " + output());
        assertThat(exit).isZero();
    }

    private void makeImage(Volume volume) throws Exception {
        String make = "truncate -s 8M disk.img && mkfs.ext4 -q -F " + volume.mkfsOptions;
        int exit = run(volume, new ProcessBuilder("sh", "-c", make + " disk.img"));
        if (exit != 0) {
            throw notRun(volume, "no ext4 image: " + output().strip());
        }
    }

    private int run(Volume volume, ProcessBuilder builder) throws Exception {
        try {
            return builder.directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("output").toFile())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw notRun(volume, String.valueOf(e.getMessage()));
        }
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }

    private static RuntimeException notRun(Volume volume, String reason) {
        return NotRun.because("DiskFullTest on " + volume, reason);
    }
}
