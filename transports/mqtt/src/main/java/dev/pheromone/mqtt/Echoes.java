package dev.pheromone.mqtt;

import org.jspecify.annotations.Nullable;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/// What we said to ourselves on one line, and have not heard yet.
final class Echoes {

    private static final int RANDOM_BYTES = 8;

    private final Map<String, CompletableFuture<Boolean>> expected = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();

    /// Returns the word by which it is known, which nobody can guess.
    String expect(CompletableFuture<Boolean> echo) {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        String word = HexFormat.of().formatHex(bytes);
        expected.put(word, echo);
        var _ = echo.whenComplete((_, _) -> expected.remove(word));
        return word;
    }

    /// Whether `post` is one of them.
    boolean hear(Post post) {
        @Nullable CompletableFuture<Boolean> echo = expected.get(post.correlation());
        return echo != null && echo.complete(true);
    }
}
