package dev.pheromone.mqtt;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What the broker keeps under some filters, and each change of it, as long as the line lasts: for
/// who would ask again and again, and make the broker write its file each time.
final class Watch {

    private final Line line;
    private final Filters filters;

    /// By the id in its topic, then by topic.
    private final Map<String, Map<String, Post>> kept = new HashMap<>();

    /// How many messages have come on this line since we listen.
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
                kept.computeIfAbsent(Names.idIn(topic).orElse(""), _ -> new HashMap<>());
        if (post.isEmpty()) {
            same.remove(topic);
        } else {
            same.put(topic, Names.isMail(topic) ? Post.cleared(topic) : post);
        }
    }

    /// Whether we know all that the broker had when this was asked.
    ///
    /// A broker leaves messages out only when more of them are queued for us than it allows. Those
    /// all come before what we say to ourselves afterwards, so it is enough to count.
    ///
    /// @param ownTopic one that we listen to
    boolean catchUp(String ownTopic, Duration timeout) throws InterruptedIOException {
        long before = heard();
        try {
            var _ = line.await(line.echo(ownTopic), timeout);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            return false;
        }
        return isCertain(before);
    }

    private synchronized long heard() {
        return heard;
    }

    private synchronized boolean isCertain(long before) {
        if (heard - certain > Shelf.CERTAIN_MAX) {
            return false;
        }
        certain = Math.max(certain, before);
        return true;
    }

    /// What is kept under this id, mail without its bytes; under the empty one, what has no id.
    synchronized List<Post> under(String id) {
        return List.copyOf(kept.getOrDefault(id, Map.of()).values());
    }
}
