package dev.pheromone.file.scope;

import dev.pheromone.address.Actor;
import dev.pheromone.lock.LockPattern;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Somebody's word that they are about to change what some patterns cover.
///
/// @param id names it among those of its hive
/// @param paths patterns as in a lock, relative to the hive root
/// @param why for people and other agents; may be empty
/// @param since when it was made
/// @param ttl how long it lasts after the holder's last sign of life
/// @param renewed the holder's last sign of life
public record Reservation(
        String id,
        Actor holder,
        List<String> paths,
        String why,
        Instant since,
        Duration ttl,
        Instant renewed) {

    /// Shorter than this, a holder that thinks for a moment has lost it.
    public static final Duration TTL_MIN = Duration.ofMinutes(1);

    /// However often it is renewed, it ends so long after it was made: whoever forgets about it
    /// keeps others out for half a working day at most.
    public static final Duration TTL_MAX = Duration.ofHours(4);

    /// More patterns than this are hardly a plan, and each edit of others is held against all.
    public static final int PATHS_MAX = 32;

    /// Patterns are held against each other, which takes the longer the longer they are.
    private static final int PATH_LENGTH_MAX = 400;

    public static final int WHY_LENGTH_MAX = 200;

    static final int ID_LENGTH = 6;

    public Reservation {
        paths = List.copyOf(paths);
        if (!isId(id)) {
            throw new IllegalArgumentException(
                    "id: found \"%s\", expected %d digits and small letters"
                            .formatted(id, ID_LENGTH));
        }
        if (paths.isEmpty() || paths.size() > PATHS_MAX) {
            throw new IllegalArgumentException(
                    "paths: found %d, expected 1 to %d".formatted(paths.size(), PATHS_MAX));
        }
        for (String path : paths) {
            LockPattern _ = LockPattern.parse(path);
            if (path.length() > PATH_LENGTH_MAX) {
                throw new IllegalArgumentException(
                        "paths: found %d characters, expected at most %d"
                                .formatted(path.length(), PATH_LENGTH_MAX));
            }
        }
        if (why.length() > WHY_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "why: found %d characters, expected at most %d"
                            .formatted(why.length(), WHY_LENGTH_MAX));
        }
        if (ttl.compareTo(TTL_MIN) < 0 || ttl.compareTo(TTL_MAX) > 0) {
            throw new IllegalArgumentException(
                    "ttl: found %d s, expected %d to %d"
                            .formatted(ttl.toSeconds(), TTL_MIN.toSeconds(), TTL_MAX.toSeconds()));
        }
    }

    static boolean isId(String text) {
        if (text.length() != ID_LENGTH) {
            return false;
        }
        for (int i = 0; i < ID_LENGTH; i++) {
            char c = text.charAt(i);
            if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))) {
                return false;
            }
        }
        return true;
    }

    public Instant endsAt() {
        Instant byLife = renewed.plus(ttl);
        Instant byAge = since.plus(TTL_MAX);
        return byLife.isBefore(byAge) ? byLife : byAge;
    }

    public boolean isOver(Instant now) {
        return !now.isBefore(endsAt());
    }
}
