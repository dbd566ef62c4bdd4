package dev.pheromone.mqtt;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What the broker keeps under some filters, and each change of it, as long as the line lasts: for
/// who would ask again and again, and make the broker write its file each time.
final class Watch {

    private final Line line;
    private final Filters filters;

    /// By the id in its topic, or by the topic if there is none in it; then by topic.
    private final Map<String, Map<String, Post>> kept = new HashMap<>();

    /// How many messages have come since we listen, whatever they were.
    private long heard;

    /// Nothing was left out before so many had come.
    private long certain;

    Watch(Line line, List<String> filters) {
        this.line = line;
        this.filters = new Filters(filters);
    }

    Line line() {
        return line;
    }

    List<String> filters() {
        return filters.texts();
    }

    synchronized void take(Post post) {
        heard++;
        String topic = post.topic();
        if (!filters.match(topic)) {
            return;
        }
        Map<String, Post> same =
                kept.computeIfAbsent(Names.idIn(topic).orElse(topic), _ -> new HashMap<>());
        if (post.isEmpty()) {
            same.remove(topic);
        } else {
            same.put(topic, Names.isMail(topic) ? Post.cleared(topic) : post);
        }
    }

    synchronized long heard() {
        return heard;
    }

    /// Whether all has come that the broker had for us, now that we hear what we said to ourselves
    /// when `before` had come.
    ///
    /// A broker leaves messages out only when more of them are queued for us than it allows. Those
    /// all come before what we say to ourselves afterwards, so it is enough to count.
    synchronized boolean isCertain(long before) {
        if (heard - certain > Link.CERTAIN_MAX) {
            return false;
        }
        certain = Math.max(certain, before);
        return true;
    }

    /// What is kept with this id in its topic, mail without its bytes; or under a topic without
    /// one.
    synchronized List<Post> under(String idOrTopic) {
        return List.copyOf(kept.getOrDefault(idOrTopic, Map.of()).values());
    }
}
