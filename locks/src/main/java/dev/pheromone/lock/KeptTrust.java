package dev.pheromone.lock;

import dev.pheromone.config.HiveFiles;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.TrustYaml;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.util.Optional;

/// The trusted keys for whoever decides about locks: while `trust.yaml` may not be read, they are
/// what they were when the hive was locked, from a copy in the embargo.
///
/// A person's key that nobody has to show as soon as the hive is locked would be worth nothing.
public final class KeptTrust {

    private final Disk guarded;
    private final HiveLayout layout;
    private final KeptCopy copy;

    /// What is kept for the hive at `layout`, behind `guard`.
    public KeptTrust(HiveLayout layout, PolicyGuard guard) {
        this(new LocalDisk(), layout, guard);
    }

    KeptTrust(Disk disk, HiveLayout layout, PolicyGuard guard) {
        this.guarded = new GuardedFiles(disk, guard);
        this.layout = layout;
        this.copy = new KeptCopy(disk, guarded, layout, layout.trust());
    }

    /// The keys as they are, or as they were kept; none if the hive never had any. Empty if they
    /// may not be read and the copy is lost: then nobody knows whether a person's key is needed.
    public Optional<TrustList> read() throws IOException, MalformedYamlException {
        try {
            return Optional.of(new HiveFiles(guarded, layout).trust());
        } catch (WithheldException e) {
            byte[] kept = copy.read().orElse(null);
            if (kept == null) {
                return Optional.empty();
            }
            try {
                return Optional.of(kept.length > 0 ? TrustYaml.parse(kept) : TrustList.empty());
            } catch (MalformedYamlException malformed) {
                throw malformed.in(layout.nameOf(copy.path()));
            }
        }
    }

    /// The name of the copy, relative to the hive root.
    public String copyName() {
        return layout.nameOf(copy.path());
    }

    /// Copies `trust.yaml` as it is now, if it may be read.
    public void keep() throws IOException {
        copy.keep();
    }

    /// As [#keep], unless the copy is up to date. For whoever opens the hive: people lock it
    /// without a command, and pull a `trust.yaml` from a repository.
    public void refresh() throws IOException {
        copy.refresh();
    }
}
