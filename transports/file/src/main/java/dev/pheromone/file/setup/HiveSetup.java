package dev.pheromone.file.setup;

import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.lock.EmbargoFolder;
import dev.pheromone.lock.KeptCopy;
import dev.pheromone.lock.LockFiles;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Makes a hive, or completes one: what is there already stays as it is. Touches nothing outside
/// `.deia` and `.embargo`.
public final class HiveSetup {

    /// Begins the names of files being written; one that was killed may leave some.
    public static final String DRAFT_PREFIX = EmbargoFolder.DRAFT_PREFIX;

    private final Disk files;
    private final HiveLayout layout;
    private final List<String> made = new ArrayList<>();

    /// What to do where a hive could not keep its promises.
    public enum OnUnfitVolume {
        REFUSE,
        /// For whoever knows better: a network disk that only one machine uses.
        ACCEPT
    }

    /// A hive that is complete, and on the disk.
    ///
    /// @param made what was missing and is there now, relative to the root; folders end in a slash
    /// @param findings what is to be said about the place; no errors but those that were accepted
    public record Done(HiveLayout layout, List<String> made, List<Finding> findings) {
        public Done {
            made = List.copyOf(made);
            findings = List.copyOf(findings);
        }
    }

    private HiveSetup(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// Makes a hive in `folder`, which is made too if need be, with an inbox for each lane and for
    /// `you`.
    public static Done init(Path folder, Address you, OnUnfitVolume choice)
            throws SetupRefusedException, IOException {
        return init(new LocalDisk(), folder, you, choice);
    }

    static Done init(Disk disk, Path folder, Address you, OnUnfitVolume choice)
            throws SetupRefusedException, IOException {
        SetupPlace place = SetupPlace.of(disk, folder);
        HiveLayout layout = new HiveLayout(place.root());
        // The gate is made with the first use of a hive; a place that is refused keeps no trace.
        LockFiles guard =
                disk.exists(layout.embargo())
                        ? new LockFiles(disk, layout)
                        : LockFiles.passing(disk, layout);
        Disk files = new GuardedFiles(disk, guard);
        List<Finding> findings = new ArrayList<>(place.findings());
        for (Finding finding : findings) {
            if (finding.severity() == Severity.ERROR && choice == OnUnfitVolume.REFUSE) {
                throw refused(finding, "; --force makes it all the same");
            }
        }
        for (Finding finding : ConfigCheck.run(files, layout)) {
            if (finding.severity() == Severity.ERROR) {
                throw refused(finding, "");
            }
        }
        HiveSetup setup = new HiveSetup(files, layout);
        setup.makeHiveFolder();
        setup.makeFiles();
        setup.makeInboxes(you.domain());
        setup.force();
        new KeptCopy(disk, files, layout, layout.trust()).refresh();
        return new Done(layout, setup.made, findings);
    }

    private static SetupRefusedException refused(Finding finding, String also) {
        return new SetupRefusedException(
                "%s: found %s, expected %s"
                        .formatted(finding.thing(), finding.found(), finding.expected()),
                finding.fix() + also);
    }

    /// Makes `.deia`, and leaves it only where the disk can do what a hive needs.
    private void makeHiveFolder() throws SetupRefusedException, IOException {
        Path hive = layout.hive();
        boolean isNew = !files.exists(hive);
        makeFolder(hive);
        for (Finding finding : VolumeProbe.tryOut(files, VolumeProbe.place(files, layout))) {
            if (finding.severity() == Severity.ERROR) {
                SetupRefusedException refusal = refused(finding, "");
                if (isNew) {
                    removeAgain(hive, refusal);
                }
                throw refusal;
            }
        }
    }

    private void removeAgain(Path folder, SetupRefusedException refusal) {
        try {
            files.remove(folder);
        } catch (IOException e) {
            refusal.addSuppressed(e);
        }
    }

    private void makeFiles() throws SetupRefusedException, IOException {
        // First what keeps mail out of git, so that a setup cut short shows git nothing.
        for (SetupFile file : SetupFile.ALL) {
            Path folder = layout.root().resolve(file.folder());
            makeFolder(folder);
            makeFile(folder, file);
        }
    }

    private void makeInboxes(Domain you) throws SetupRefusedException, IOException {
        makeFolder(layout.telemetry());
        makeFolder(layout.inboxes());
        List<Domain> domains = new ArrayList<>();
        for (Lane lane : Lane.KNOWN) {
            domains.add(new Address.OfLane(lane).domain());
        }
        domains.add(you);
        for (Domain domain : domains) {
            makeFolder(layout.inbox(domain));
            files.createFolder(layout.drafts(domain));
        }
    }

    /// Forces the names to the disk once more: what an earlier setup made before it was killed may
    /// not be there yet.
    private void force() throws IOException {
        for (Path folder :
                List.of(layout.root(), layout.hive(), layout.embargo(), layout.inboxes())) {
            files.sync(folder);
        }
    }

    private void makeFolder(Path folder) throws SetupRefusedException, IOException {
        Optional<Stat> stat = files.stat(folder);
        if (stat.isPresent() && !stat.get().isFolder()) {
            throw new SetupRefusedException(
                    "%s: found %s, expected a folder".formatted(folder, stat.get().kind()),
                    "move it away, and type the command again");
        }
        if (stat.isEmpty()) {
            files.createFolder(folder);
            made.add(layout.nameOf(folder) + "/");
        }
    }

    private void makeFile(Path folder, SetupFile setupFile) throws IOException {
        Path file = folder.resolve(setupFile.name());
        if (EmbargoFolder.isMade(files, file, setupFile.content())) {
            made.add(layout.nameOf(file));
        }
    }
}
