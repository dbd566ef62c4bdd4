package dev.pheromone.mqtt;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the broker keeps under some filters, while it is coming in.
final class Reading {

    private final Filters filters;
    private final Map<String, Post> found = new LinkedHashMap<>();

    Reading(List<String> filters) {
        this.filters = new Filters(filters);
    }

    /// Keeps `post`, if it is what was asked for.
    synchronized void take(Post post) {
        if (filters.match(post.topic())) {
            found.put(post.topic(), post);
        }
    }

    /// By topic.
    synchronized Map<String, Post> found() {
        return new LinkedHashMap<>(found);
    }
}
