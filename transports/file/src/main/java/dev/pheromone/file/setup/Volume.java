package dev.pheromone.file.setup;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.FileSystemKind;
import dev.pheromone.disk.Mount;
import dev.pheromone.disk.SyncedFolder;
import dev.pheromone.file.setup.Finding.Severity;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The place where a hive lies or is to lie: on what disk, and who else has a hand in it. Only
/// looks; what the disk can do, `VolumeProbe` tries.
public final class Volume {

    /// Below this a burst of mail could fill the disk.
    private static final long FREE_BYTES_MIN = 64L * 1024 * 1024;

    private static final String LOCAL_DISK =
            "keep the hive on a disk of this machine, and let other machines reach it through a"
                    + " server";

    private final Disk disk;

    public Volume(Disk disk) {
        this.disk = disk;
    }

    /// What is to be said of the place of `folder`, a real path. The mount and its type are always
    /// named; an error means that a hive there would lose mail.
    public List<Finding> findings(Path folder) throws IOException {
        List<Finding> findings = new ArrayList<>();
        Mount mount = disk.mount(folder);
        findings.add(ofKind(mount));
        SyncedFolder.around(folder, disk).map(Volume::ofSynced).ifPresent(findings::add);
        if (mount.freeBytes() < FREE_BYTES_MIN) {
            findings.add(
                    new Finding(
                            Severity.WARNING,
                            "volume " + mount.name(),
                            "%d MiB free".formatted(mount.freeBytes() >> 20),
                            "at least %d MiB".formatted(FREE_BYTES_MIN >> 20),
                            "make room: without it nothing can be sent"));
        }
        return findings;
    }

    private static Finding ofKind(Mount mount) {
        String thing = "volume " + mount.name();
        String type = mount.type();
        String journaling = "a journaling file system";
        return switch (FileSystemKind.of(type)) {
            case JOURNALING ->
                    new Finding(Severity.NOTE, thing, type + ", journaling", journaling, null);
            case NOT_JOURNALING ->
                    new Finding(
                            Severity.WARNING,
                            thing,
                            type + ", not journaling: a power cut may lose mail that was sent",
                            journaling,
                            "move the hive to a disk with ext4, xfs, btrfs, apfs or ntfs");
            case SHARED_WITH_HOST ->
                    new Finding(
                            Severity.WARNING,
                            thing,
                            type + ", shared with the machine around this one",
                            journaling + " of this machine",
                            "run all that uses the hive on this side, never on both");
            case NETWORK ->
                    new Finding(
                            Severity.ERROR,
                            thing,
                            type + ", a network file system",
                            journaling + " of this machine",
                            LOCAL_DISK);
            case SYNCED ->
                    new Finding(
                            Severity.ERROR,
                            thing,
                            type + ", a view of files in a cloud",
                            journaling + " of this machine",
                            LOCAL_DISK);
            case UNKNOWN ->
                    new Finding(
                            Severity.WARNING,
                            thing,
                            type + ", of which it is not known whether a power cut may lose mail",
                            journaling,
                            null);
        };
    }

    private static Finding ofSynced(SyncedFolder synced) {
        return new Finding(
                Severity.ERROR,
                synced.folder().toString(),
                "a folder that %s copies to other machines".formatted(synced.service()),
                "a folder that nothing else writes to",
                LOCAL_DISK);
    }
}
