package dev.pheromone.redaction;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// A stretch of a text that is hidden.
///
/// @param kind what it is, or null if it is a mark that stood there before
/// @param rank the place of its rule: the lowest of two that overlap gives the kind
record Span(int start, int end, @Nullable String kind, int rank) {

    /// A mark that stood there before: whatever overlaps it is stronger.
    static Span ofMark(int start, int end) {
        return new Span(start, end, null, Integer.MAX_VALUE);
    }

    /// `spans` in their order, those that overlap made one. What only touches stays apart.
    static List<Span> merged(Collection<Span> spans) {
        List<Span> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparingInt(Span::start).thenComparingInt(Span::end));
        List<Span> merged = new ArrayList<>();
        for (Span span : sorted) {
            if (!merged.isEmpty() && span.start < merged.getLast().end) {
                merged.add(merged.removeLast().with(span));
            } else {
                merged.add(span);
            }
        }
        return merged;
    }

    private Span with(Span other) {
        Span stronger = other.rank < rank ? other : this;
        return new Span(
                Math.min(start, other.start),
                Math.max(end, other.end),
                stronger.kind,
                stronger.rank);
    }
}
