package dev.pheromone.file.scope;

import dev.pheromone.address.Actor;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.copy.ClaimName;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What others are at work on: the scopes of envelopes that they have claimed, each read as a path
/// below the hive root, or a pattern as in a lock.
final class ClaimedScopes {

    /// So many claims are looked at; who has more has other ways to keep people apart.
    private static final int CLAIMS_MAX = 500;

    private static final byte[] KEY = "\nscope:".getBytes(StandardCharsets.US_ASCII);

    private final Disk files;
    private final HiveLayout layout;

    ClaimedScopes(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// The work of everybody but `self` that has a scope, while its lease lasts.
    List<Hold.Claimed> ofOthers(Actor self, Instant now) throws IOException {
        List<Hold.Claimed> found = new ArrayList<>();
        int looked = 0;
        for (Path folder : files.list(layout.hive().resolve("active"))) {
            for (ClaimName claim : ClaimName.list(files, folder)) {
                if (!claim.worker().equals(self) && looked++ < CLAIMS_MAX) {
                    add(claim, folder.resolve(claim.fileName()), now, found);
                }
            }
        }
        return found;
    }

    private void add(ClaimName claim, Path file, Instant now, List<Hold.Claimed> found)
            throws IOException {
        Optional<Stat> stat = files.stat(file);
        if (stat.isEmpty() || !stat.get().isFile()) {
            return;
        }
        Instant endsAt = claim.leaseEndsAt(stat.get(), now);
        if (!now.isBefore(endsAt)) {
            return;
        }
        try {
            byte[] head = files.read(file, EnvelopeText.PREFIX_BYTES_MAX);
            if (!hasScope(head)) {
                return;
            }
            Envelope envelope =
                    Envelope.parse(files.read(file, EnvelopeText.ENVELOPE_BYTES_MAX + 1));
            String scope = envelope.scope().orElse("");
            if (!scope.isBlank()) {
                found.add(
                        new Hold.Claimed(
                                claim.worker(),
                                scope,
                                envelope.topic(),
                                layout.nameOf(file),
                                endsAt));
            }
        } catch (MalformedEnvelopeException | NoSuchFileException e) {
            // Nobody's work, or done a moment ago.
        }
    }

    /// Whether the header may name a scope: most mail has none, and is not read any further.
    private static boolean hasScope(byte[] head) {
        for (int at = 0; at + KEY.length <= head.length; at++) {
            int same = 0;
            while (same < KEY.length && head[at + same] == KEY[same]) {
                same++;
            }
            if (same == KEY.length) {
                return true;
            }
        }
        return false;
    }
}
