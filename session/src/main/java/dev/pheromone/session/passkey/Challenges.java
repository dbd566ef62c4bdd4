package dev.pheromone.session.passkey;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// The challenges of one hive's board that are still to be answered. They are in memory alone: what
/// a server asked for is not answered to the next one.
public final class Challenges {

    /// How long a person may take. No assertion counts for longer.
    public static final Duration TIME = Duration.ofMinutes(2);

    /// Who asks for more at once pushes the oldest out.
    private static final int OPEN_MAX = 256;

    private static final int NONCE_BYTES = 16;

    private final String hive;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Challenge> open = new LinkedHashMap<>();

    /// @param hive which hive it is
    public Challenges(String hive) {
        this.hive = hive;
    }

    /// A challenge for `deed`, good from `now` on.
    public synchronized Challenge ask(Deed deed, Instant now) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        Challenge challenge = Challenge.of(deed, hive, Base64Url.of(nonce), now.plus(TIME));
        open.put(challenge.nonce(), challenge);
        if (open.size() > OPEN_MAX) {
            open.remove(open.keySet().iterator().next());
        }
        return challenge;
    }

    /// Whether [#take] would give the challenge.
    public synchronized Challenge look(String nonce, Deed deed, Instant now)
            throws RefusedException {
        Challenge challenge = open.get(nonce);
        if (challenge == null) {
            throw new RefusedException(
                    "the challenge is not known, or was answered before: each counts once");
        }
        if (!now.isBefore(challenge.expires())) {
            throw new RefusedException(
                    "the challenge was to be answered within " + TIME.toMinutes() + " minutes");
        }
        if (!challenge.equals(Challenge.of(deed, hive, nonce, challenge.expires()))) {
            throw new RefusedException(
                    "what was confirmed is not what would be done now: it changed meanwhile");
        }
        return challenge;
    }

    /// The challenge of this nonce, for the one time that it is answered.
    ///
    /// @throws RefusedException if it is late, was taken before, or is about another deed
    public synchronized Challenge take(String nonce, Deed deed, Instant now)
            throws RefusedException {
        try {
            return look(nonce, deed, now);
        } finally {
            open.remove(nonce);
        }
    }
}
