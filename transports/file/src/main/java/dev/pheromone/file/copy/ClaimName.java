package dev.pheromone.file.copy;

import dev.pheromone.address.Actor;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.life.ClaimToken;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The name of a claimed copy's file, which is all that a claim is on disk: the claim, with `.md`
/// behind it.
public record ClaimName(ClaimToken claim) {

    /// The claim that a file's name stands for, or that a holder shows; empty if there is none.
    public static Optional<ClaimName> parse(String name) {
        String text =
                name.endsWith(HiveLayout.MAIL_SUFFIX)
                        ? name.substring(0, name.length() - HiveLayout.MAIL_SUFFIX.length())
                        : name;
        return ClaimToken.find(text).map(ClaimName::new);
    }

    /// The claims in a folder; names that are none are passed over.
    public static List<ClaimName> list(Disk files, Path folder) throws IOException {
        List<ClaimName> claims = new ArrayList<>();
        for (Path entry : files.list(folder)) {
            parse(String.valueOf(entry.getFileName())).ifPresent(claims::add);
        }
        return claims;
    }

    public EnvelopeId id() {
        return claim.id();
    }

    public int attempt() {
        return claim.attempt();
    }

    public Actor worker() {
        return claim.worker();
    }

    public Instant claimedAt() {
        return claim.claimedAt();
    }

    public Duration lease() {
        return claim.lease();
    }

    public Optional<String> attendant() {
        return claim.attendant();
    }

    /// When the lease ends, with the file's own last sign of life: touching it renews the lease.
    public Instant leaseEndsAt(Stat file, Instant now) {
        return leaseEndsAt(file, file.modified(), now);
    }

    /// As above, with another last sign of life.
    public Instant leaseEndsAt(Stat file, Instant lastTouched, Instant now) {
        return claim.leaseEndsAt(lastTouched, file.changed(), now);
    }

    boolean isOlderThan(ClaimName other) {
        return claim.isOlderThan(other.claim);
    }

    /// Names the claim to whoever settles it.
    public String token() {
        return claim.toString();
    }

    public String fileName() {
        return token() + HiveLayout.MAIL_SUFFIX;
    }
}
