package dev.pheromone.server;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// How many requests were answered, and how.
final class RequestCounts {

    /// One count of many.
    record Kind(String method, int status) {}

    /// Clients can invent others, and each would be counted for ever.
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST");

    private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();

    void add(String method, int status) {
        Kind kind = new Kind(METHODS.contains(method) ? method : "other", status);
        counts.computeIfAbsent(kind, _ -> new LongAdder()).increment();
    }

    void writeTo(OpenMetrics text) {
        counts.forEach((kind, count) ->
                text.sample(
                        count.sum(),
                        "method",
                        kind.method(),
                        "status",
                        String.valueOf(kind.status())));
    }
}
