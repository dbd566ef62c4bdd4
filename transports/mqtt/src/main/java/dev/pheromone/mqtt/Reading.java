package dev.pheromone.mqtt;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the broker keeps under some filters, while it is coming in.
final class Reading {

    private final List<String[]> filters;
    private final Map<String, Post> found = new LinkedHashMap<>();

    Reading(List<String> filters) {
        this.filters = filters.stream().map(filter -> filter.split("/", -1)).toList();
    }

    /// Keeps `post`, if it is what was asked for.
    synchronized void take(Post post) {
        String[] topic = post.topic().split("/", -1);
        if (filters.stream().anyMatch(filter -> matches(filter, topic))) {
            found.put(post.topic(), post);
        }
    }

    private static boolean matches(String[] filter, String[] topic) {
        if (filter.length != topic.length) {
            return false;
        }
        for (int i = 0; i < filter.length; i++) {
            if (!filter[i].equals("+") && !filter[i].equals(topic[i])) {
                return false;
            }
        }
        return true;
    }

    /// By topic.
    synchronized Map<String, Post> found() {
        return new LinkedHashMap<>(found);
    }
}
