package dev.pheromone.file;

import dev.pheromone.TrustList;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The trusted keys for whoever decides about locks: while `trust.yaml` may not be read, they are
/// what they were when the hive was locked, from a copy in the mirror.
///
/// A person's key that nobody has to show as soon as the hive is locked would be worth nothing.
public final class KeptTrust {

    private static final String NAME = "trust.yaml";
    private static final String DRAFT_PREFIX = ".trust-";
    private static final int TAG_LENGTH = 8;

    private final Disk disk;
    private final Disk guarded;
    private final HiveLayout layout;
    private final Path copy;

    public KeptTrust(HiveLayout layout, PolicyGuard guard) {
        this.disk = new LocalDisk();
        this.guarded = new GuardedFiles(disk, guard);
        this.layout = layout;
        this.copy = layout.mirror().resolve(NAME);
    }

    /// The keys as they are, or as they were kept; none if the hive never had any.
    public TrustList read() throws IOException, MalformedYamlException {
        try {
            return new HiveFiles(guarded, layout).trust();
        } catch (WithheldException e) {
            Optional<byte[]> kept = RegularFile.read(disk, copy, YamlText.BYTES_MAX);
            try {
                return kept.isPresent() && kept.get().length > 0
                        ? TrustYaml.parse(kept.get())
                        : TrustList.empty();
            } catch (MalformedYamlException malformed) {
                throw malformed.in(layout.nameOf(copy));
            }
        }
    }

    /// Copies `trust.yaml` as it is now, if it may be read.
    public void keep() throws IOException {
        Optional<byte[]> trust;
        try {
            trust = RegularFile.read(guarded, layout.trust(), YamlText.BYTES_MAX);
        } catch (WithheldException e) {
            return;
        }
        if (trust.isEmpty() && !disk.exists(copy)) {
            return;
        }
        HiveSetup.makeMirror(disk, layout);
        Path draft = layout.mirror().resolve(DRAFT_PREFIX + Tags.random(TAG_LENGTH));
        disk.create(draft, trust.orElse(new byte[0]));
        disk.rename(draft, copy);
        disk.sync(layout.mirror());
    }
}
