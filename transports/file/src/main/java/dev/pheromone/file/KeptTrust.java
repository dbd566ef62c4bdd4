package dev.pheromone.file;

import dev.pheromone.TrustList;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;

/// The trusted keys for whoever decides about locks: while `trust.yaml` may not be read, they are
/// what they were when the hive was locked, from a copy in the mirror.
///
/// A person's key that nobody has to show as soon as the hive is locked would be worth nothing.
public final class KeptTrust {

    private final Disk guarded;
    private final HiveLayout layout;
    private final KeptCopy copy;

    public KeptTrust(HiveLayout layout, PolicyGuard guard) {
        Disk disk = new LocalDisk();
        this.guarded = new GuardedFiles(disk, guard);
        this.layout = layout;
        this.copy = new KeptCopy(disk, guarded, layout, layout.trust());
    }

    /// The keys as they are, or as they were kept; none if the hive never had any.
    public TrustList read() throws IOException, MalformedYamlException {
        try {
            return new HiveFiles(guarded, layout).trust();
        } catch (WithheldException e) {
            byte[] kept = copy.read();
            try {
                return kept.length > 0 ? TrustYaml.parse(kept) : TrustList.empty();
            } catch (MalformedYamlException malformed) {
                throw malformed.in(layout.nameOf(copy.path()));
            }
        }
    }

    /// Copies `trust.yaml` as it is now, if it may be read.
    public void keep() throws IOException {
        copy.keep();
    }
}
