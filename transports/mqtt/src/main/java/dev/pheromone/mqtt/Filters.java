package dev.pheromone.mqtt;

import java.util.List;

/// What somebody asks the broker for: topics, with `+` where any part will do.
final class Filters {

    private final List<String> texts;
    private final List<String[]> parts;

    Filters(List<String> texts) {
        this.texts = List.copyOf(texts);
        parts = this.texts.stream().map(Filters::parts).toList();
    }

    /// As the broker reads them.
    List<String> texts() {
        return texts;
    }

    boolean match(String topic) {
        String[] found = parts(topic);
        return parts.stream().anyMatch(filter -> matches(filter, found));
    }

    private static String[] parts(String text) {
        return text.split("/", -1);
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
}
