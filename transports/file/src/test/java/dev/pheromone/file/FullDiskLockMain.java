package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A process that locks a hive on a small volume of its own, which it fills first: `FOLDER
/// BLOCKS|INODES`.
final class FullDiskLockMain {

    private FullDiskLockMain() {}

    public static void main(String[] arguments) throws Exception {
        Path volume = Path.of(arguments[0]);
        TestHive hive = new TestHive(volume);
        Files.createDirectory(hive.layout.hive().resolve("do-not-erase"));
        Files.writeString(hive.layout.hive().resolve("do-not-erase/a.yaml"), "- docs/**\n");
        Ballast ballast =
                new Ballast(
                        Files.createDirectory(volume.resolve("ballast")),
                        Ballast.Room.valueOf(arguments[1]));
        ballast.fill();
        LockFiles guard = new LockFiles(hive.layout);
        Locksmith smith = new Locksmith(hive.layout, guard);
        boolean isSaid;
        try {
            Locksmith.Placed placed = smith.lockHive("release in progress");
            assertThat(placed.isNew()).isTrue();
            assertThat(placed.lost())
                    .as("what was lost, where the reason found is \"%s\"", smith.hiveReason())
                    .anyMatch(lost ->
                            lost.startsWith(
                                    smith.hiveReason().isEmpty()
                                            ? "who set it and why is not written: "
                                            : "files outside the hive are blocked too"));
            isSaid = true;
            System.out.println("locked, but " + placed.lost());
        } catch (IOException e) {
            isSaid = false;
            System.out.println("not locked: " + e);
        }
        // Said or not said as it is.
        assertThat(smith.isHiveLocked()).isEqualTo(isSaid);
        // A name needs no room for its content; where there is none for a name, nothing can lock.
        assertThat(isSaid).isEqualTo(arguments[1].equals("BLOCKS"));
    }
}
