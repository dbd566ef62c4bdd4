package dev.pheromone.file.inbox;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Actor;
import dev.pheromone.config.HiveFiles;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.lock.LockPattern;
import dev.pheromone.lock.PathForms;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What others are at work on: the scopes of envelopes that they have claimed, each read as a path
/// below the hive root, or a pattern as in a lock.
public final class ClaimedScopes {

    /// So many claims are looked at; who has more has other ways to keep people apart.
    private static final int CLAIMS_MAX = 500;

    private final Disk files;
    private final HiveLayout layout;
    private final PathForms forms;

    /// Somebody's work on what a scope names.
    ///
    /// @param location the claimed file, relative to the hive root
    public record Work(Actor worker, String scope, String topic, String location) {}

    public ClaimedScopes(HiveLayout layout, PolicyGuard guard) {
        this.files = new GuardedFiles(new LocalDisk(), guard);
        this.layout = layout;
        this.forms = new PathForms(new LocalDisk(), layout);
    }

    /// What this hive does about such work.
    public HiveConfig.ScopePolicy policy() throws IOException, MalformedYamlException {
        return new HiveFiles(files, layout).config().scopes();
    }

    /// The work of everybody but `self` whose scope covers `path`, while its lease lasts.
    public List<Work> covering(Path path, Actor self, Instant now) throws IOException {
        List<Work> found = new ArrayList<>();
        int looked = 0;
        for (Path folder : files.list(layout.hive().resolve("active"))) {
            for (ClaimName claim : ClaimName.list(files, folder)) {
                if (!claim.worker().equals(self) && looked++ < CLAIMS_MAX) {
                    Path file = folder.resolve(claim.fileName());
                    if (isLive(claim, file, now)) {
                        addIfCovering(path, claim, file, found);
                    }
                }
            }
        }
        return found;
    }

    private boolean isLive(ClaimName claim, Path file, Instant now) throws IOException {
        Optional<Stat> stat = files.stat(file);
        return stat.isPresent()
                && stat.get().isFile()
                && now.isBefore(claim.leaseEndsAt(stat.get(), now));
    }

    private void addIfCovering(Path path, ClaimName claim, Path file, List<Work> found)
            throws IOException {
        Envelope envelope;
        try {
            envelope = Envelope.parse(files.read(file, EnvelopeText.ENVELOPE_BYTES_MAX + 1));
        } catch (MalformedEnvelopeException | NoSuchFileException e) {
            // Nobody's work, or done a moment ago.
            return;
        }
        String scope = envelope.scope().orElse("");
        if (covers(scope, forms.of(path))) {
            found.add(new Work(claim.worker(), scope, envelope.topic(), layout.nameOf(file)));
        }
    }

    /// A scope need not be a path at all.
    private boolean covers(String scope, Set<List<String>> names) {
        try {
            String name = layout.nameOf(layout.root().resolve(scope));
            if (scope.isBlank() || name.startsWith("/")) {
                return false;
            }
            LockPattern pattern = LockPattern.parse(forms.normal(name));
            for (List<String> form : names) {
                if (pattern.covers(form)) {
                    return true;
                }
            }
            return false;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
