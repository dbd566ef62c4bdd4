package dev.pheromone.file.upkeep;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.file.embargo.EmbargoInboxes;
import dev.pheromone.file.embargo.KeptOutcomes;
import dev.pheromone.file.scope.Reservations;
import dev.pheromone.file.setup.ConfigCheck;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.LinkedHive;
import dev.pheromone.file.setup.SetupFile;
import dev.pheromone.file.setup.ShellWord;
import dev.pheromone.file.setup.Volume;
import dev.pheromone.file.setup.VolumeProbe;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockFiles;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What is wrong with a hive as a place: its disk, its folders, the files that people write, what
/// does not belong there. Mail itself is not looked at, and nothing is changed.
public final class Checkup {

    /// How old a file being written may be: no send takes that long.
    private static final Duration DRAFT_AGE_MAX = Duration.ofHours(1);

    /// How many names a finding shows: there may be thousands.
    private static final int NAMES_SHOWN_MAX = 5;

    private static final String REPAIR = "rsm doctor --fix";
    private static final String COMPLETE = "rsm init";

    /// The folders between which mail moves by its name alone.
    private static final List<String> MAIL_FOLDERS = List.of("inbox", "active", "archive", "seen");

    private static final List<String> FOLDERS =
            List.of(
                    "inbox",
                    "active",
                    "status",
                    "archive",
                    "seen",
                    "outbox",
                    "state",
                    "telemetry",
                    "do-not-read",
                    "do-not-alter",
                    "do-not-erase",
                    "overrides",
                    "mute",
                    "reservations",
                    "tools");

    private static final String SEEN = "seen";

    /// Those in which each inbox has a folder of its own, besides that of its mail.
    private static final Set<String> OF_INBOXES =
            Set.of("active", "status", "archive", SEEN, "state");

    private static final Set<String> FILES = Set.of("hive.yaml", "trust.yaml", LockFiles.HIVE_LOCK);

    private final Disk files;
    private final HiveLayout layout;
    private final Instant now;
    private final List<Finding> findings = new ArrayList<>();

    private Checkup(Disk files, HiveLayout layout, Instant now) {
        this.files = files;
        this.layout = layout;
        this.now = now;
    }

    /// Looks at everything; what can't be looked at is a finding too.
    public static List<Finding> run(HiveLayout layout, PolicyGuard guard, Instant now) {
        return run(new GuardedFiles(new LocalDisk(), guard), layout, now);
    }

    static List<Finding> run(Disk files, HiveLayout layout, Instant now) {
        Checkup checkup = new Checkup(files, layout, now);
        checkup.look(layout.root(), checkup::volume);
        checkup.look(layout.hive(), checkup::names);
        checkup.look(layout.hive(), checkup::folders);
        checkup.look(layout.inboxes(), checkup::inboxes);
        checkup.look(layout.hive(), checkup::leftovers);
        checkup.look(layout.reservations(), checkup::reservations);
        checkup.look(layout.embargo(), checkup::kept);
        checkup.look(layout.root(), checkup::mailInLinkedTrees);
        checkup.findings.addAll(ConfigCheck.run(files, layout));
        return List.copyOf(checkup.findings);
    }

    private interface Look {
        void look() throws IOException;
    }

    private void look(Path thing, Look look) {
        try {
            look.look();
        } catch (WithheldException e) {
            add(Severity.WARNING, thing, "not looked at: " + e.getMessage(), "no lock", null);
        } catch (IOException e) {
            add(Severity.ERROR, thing, Trouble.of(e), "possible to look at", null);
        }
    }

    private void volume() throws IOException {
        findings.addAll(new Volume(files).findings(layout.root()));
        findings.addAll(VolumeProbe.tryOut(files, VolumeProbe.place(files, layout)));
        List<Path> mailFolders =
                MAIL_FOLDERS.stream().map(name -> layout.hive().resolve(name)).toList();
        findings.addAll(VolumeProbe.tryMoves(files, layout, mailFolders));
    }

    /// A name that is not ours may be one of ours misspelt: somebody counts on a lock that is none.
    private void names() throws IOException {
        for (Path entry : files.list(layout.hive())) {
            String name = nameOf(entry);
            if (!name.startsWith(".") && !FOLDERS.contains(name) && !FILES.contains(name)) {
                add(
                        Severity.WARNING,
                        entry,
                        "a name that means nothing here",
                        "hive.yaml, trust.yaml or one of " + String.join(", ", FOLDERS),
                        "rename it, or move it away");
            }
        }
        for (SetupFile file : SetupFile.ALL) {
            Path path = layout.root().resolve(file.folder()).resolve(file.name());
            if (!path.equals(layout.configuration()) && files.stat(path).isEmpty()) {
                add(Severity.WARNING, path, "nothing", "what keeps mail out of git", COMPLETE);
            }
        }
    }

    /// A file that is no reservation keeps nobody from anything, though its writer may count on it.
    private void reservations() throws IOException {
        for (String unreadable : new Reservations(files, layout).view(now).unreadable()) {
            int colon = unreadable.indexOf(": ");
            findings.add(
                    new Finding(
                            Severity.WARNING,
                            unreadable.substring(0, colon),
                            "no reservation (" + unreadable.substring(colon + 2) + ")",
                            "one, which keeps others from its paths",
                            "move it away"));
        }
    }

    private void folders() throws IOException {
        folder(layout.hive());
        folder(layout.embargo());
        for (String name : FOLDERS) {
            Path folder = layout.hive().resolve(name);
            folder(folder);
            if (OF_INBOXES.contains(name)) {
                look(folder, () -> ofInboxes(folder));
            }
        }
        for (Path needed : List.of(layout.inboxes(), layout.telemetry())) {
            if (files.stat(needed).isEmpty()) {
                add(Severity.WARNING, needed, "nothing", "a folder", COMPLETE);
            }
        }
        Optional<Stat> log = files.stat(layout.log());
        if (log.isPresent() && !log.get().isFile()) {
            add(Severity.ERROR, layout.log(), log.get().kind() + "", "a file", "move it away");
        }
    }

    /// What each inbox has in `folder`; in the seen-set there are folders in these, too.
    private void ofInboxes(Path folder) throws IOException {
        for (Path own : files.list(folder)) {
            if (nameOf(own).startsWith(".")) {
                continue;
            }
            folder(own);
            if (own.startsWith(layout.hive().resolve(SEEN))) {
                look(
                        own,
                        () -> {
                            for (Path part : files.list(own)) {
                                folder(part);
                            }
                        });
            }
        }
    }

    /// Whether `folder`, if there is one, is a folder that we may write to, and not everybody.
    private void folder(Path folder) throws IOException {
        Optional<Stat> stat = files.stat(folder);
        if (stat.isEmpty()) {
            return;
        }
        String word = ShellWord.of(folder);
        if (!stat.get().isFolder()) {
            add(Severity.ERROR, folder, stat.get().kind() + "", "a folder", "move it away");
        } else if (!files.isWritable(folder)) {
            add(
                    Severity.ERROR,
                    folder,
                    "a folder that this user may not write to",
                    "one that it may",
                    "chmod u+rwx " + word + ", or chown it");
        } else if (files.isWritableByAll(folder)) {
            add(
                    Severity.WARNING,
                    folder,
                    "a folder that every user of this machine may write to",
                    "one that only its owner or group may",
                    "chmod o-w " + word);
        }
    }

    private void inboxes() throws IOException {
        for (Path inbox : files.list(layout.inboxes())) {
            if (nameOf(inbox).startsWith(".")) {
                continue;
            }
            folder(inbox);
            if (files.stat(inbox).filter(Stat::isFolder).isEmpty()) {
                continue;
            }
            if (Domain.find(nameOf(inbox)).isEmpty()) {
                add(
                        Severity.WARNING,
                        inbox,
                        "an inbox that no address can name: mail in it is never read",
                        "lower-case letters, digits, dashes and underscores, not lane- first and"
                                + " not user- or worker- alone",
                        "rename it");
            }
            look(inbox, () -> inbox(inbox));
        }
    }

    private void inbox(Path inbox) throws IOException {
        List<Path> foreign =
                files.list(inbox).stream()
                        .filter(entry -> !nameOf(entry).startsWith("."))
                        .filter(entry -> !nameOf(entry).endsWith(HiveLayout.MAIL_SUFFIX))
                        .toList();
        report(inbox, foreign, "no mail: ", "only names that end in .md", "move them away");
        Path drafts = inbox.resolve(".tmp");
        folder(drafts);
        List<Path> old = old(files.list(drafts));
        report(drafts, old, "left by senders that were killed: ", "nothing that old", REPAIR);
    }

    private void leftovers() throws IOException {
        List<Path> folders = List.of(layout.hive(), layout.inboxes(), layout.embargo());
        for (Path folder : folders) {
            List<Path> ours =
                    files.list(folder).stream()
                            .filter(entry -> nameOf(entry).startsWith(HiveSetup.DRAFT_PREFIX))
                            .toList();
            report(
                    folder,
                    old(ours),
                    "left by an init that was killed: ",
                    "nothing that old",
                    "remove them");
        }
        for (Path left : old(VolumeProbe.leftovers(files, layout))) {
            add(
                    Severity.WARNING,
                    left,
                    "left by an init or doctor that was killed",
                    "nothing that old",
                    REPAIR);
        }
    }

    /// What waits in the embargo for ever, because nobody can make sense of it.
    private void kept() throws IOException {
        List<Path> mail =
                new EmbargoInboxes(files, layout)
                        .waiting().stream()
                                .filter(kept -> kept.envelope() == null)
                                .map(kept -> layout.root().resolve(kept.location()))
                                .toList();
        report(
                layout.mirrorInboxes(),
                mail,
                "no mail that could be released: ",
                "whole envelopes",
                "rsm embargo says why; fix them, or move them away");
        report(
                layout.mirrorOutcomes(),
                new KeptOutcomes(files, layout).unreadable(),
                "no outcomes that could be applied: ",
                "outcomes as rsm ack keeps them",
                "move them away, and say how the work ended with rsm ack");
    }

    /// Whoever writes mail by hand may take the copy of the hive in a linked work tree for the
    /// hive.
    private void mailInLinkedTrees() throws IOException {
        for (HiveLayout copy : LinkedHive.copiesOf(layout, files)) {
            List<Path> mail = new ArrayList<>();
            for (Path inbox : files.list(copy.inboxes())) {
                mail.addAll(files.list(inbox));
            }
            mail.removeIf(entry -> !nameOf(entry).endsWith(HiveLayout.MAIL_SUFFIX));
            report(
                    copy.inboxes(),
                    mail,
                    "mail where nobody reads it, in a linked work tree: ",
                    "mail in " + layout.inboxes(),
                    "move it there");
        }
    }

    private List<Path> old(List<Path> entries) throws IOException {
        List<Path> old = new ArrayList<>();
        for (Path entry : entries) {
            Optional<Stat> stat = files.stat(entry);
            if (stat.isPresent() && stat.get().changed().plus(DRAFT_AGE_MAX).isBefore(now)) {
                old.add(entry);
            }
        }
        return old;
    }

    /// One finding for all of `entries`, if there are any.
    private void report(Path folder, List<Path> entries, String what, String expected, String fix) {
        if (entries.isEmpty()) {
            return;
        }
        List<String> names =
                entries.stream().map(Checkup::nameOf).sorted().limit(NAMES_SHOWN_MAX).toList();
        int more = entries.size() - names.size();
        String found =
                what + String.join(", ", names) + (more > 0 ? " and %d more".formatted(more) : "");
        add(Severity.WARNING, folder, found, expected, fix);
    }

    private void add(
            Severity severity, Path thing, String found, String expected, @Nullable String fix) {
        String name = thing.equals(layout.root()) ? thing.toString() : layout.nameOf(thing);
        findings.add(new Finding(severity, name, found, expected, fix));
    }

    private static String nameOf(Path path) {
        return String.valueOf(path.getFileName());
    }
}
