package dev.pheromone.mqtt;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What is known under an id, for who is about to send under it.
///
/// To ask the broker makes it write its file. So who sends a second time within half a minute
/// listens along from then on, to all that happens with ids of about the same time, and only asks
/// whether it has heard everything: that is nothing to write.
final class Lookout {

    /// Whatever is known under one id.
    ///
    /// @param posts its record and its mail, of which only the topics count
    /// @param office who kept the inbox at that moment; empty if nobody says so
    record Known(List<Post> posts, String office) {}

    private final Link link;
    private final Names names;
    private final Map<Domain, Sight> sights = new ConcurrentHashMap<>();

    Lookout(Link link, Names names) {
        this.link = link;
        this.names = names;
    }

    Known look(Domain domain, EnvelopeId id) throws IOException {
        Sight sight = sights.computeIfAbsent(domain, Sight::new);
        @Nullable Watch watch = sight.of(Names.stretch(id));
        if (watch != null) {
            if (link.catchUp(watch)) {
                List<Post> posts = new ArrayList<>(watch.under(id.text()));
                posts.addAll(watch.under(""));
                return known(domain, posts);
            }
            sight.lose(watch);
        }
        List<String> filters =
                List.of(names.record(domain, id), names.mailOf(domain, id), names.office(domain));
        return known(domain, link.read(filters, Link.Width.NARROW).values());
    }

    private Known known(Domain domain, Iterable<Post> found) {
        List<Post> posts = new ArrayList<>();
        String office = "";
        for (Post post : found) {
            if (post.topic().equals(names.office(domain))) {
                office = new String(post.payload(), StandardCharsets.UTF_8);
            } else {
                posts.add(post);
            }
        }
        return new Known(posts, office);
    }

    /// What we see of one inbox.
    private final class Sight {

        private final Domain domain;
        private String last = "";
        private String tooMuch = "";
        private String watched = "";
        private @Nullable Watch watch;

        Sight(Domain domain) {
            this.domain = domain;
        }

        /// Null if the broker is to be asked: who sends but once, or ids from here and there, would
        /// listen for nothing.
        synchronized @Nullable Watch of(String stretch) throws IOException {
            if (watch != null && stretch.equals(watched)) {
                return watch;
            }
            boolean isWorthIt = stretch.equals(last) && !stretch.equals(tooMuch);
            last = stretch;
            if (isWorthIt) {
                lose(watch);
                List<String> filters = new ArrayList<>(names.ofStretch(domain, stretch));
                filters.add(names.office(domain));
                watch = link.watch(filters).orElse(null);
                watched = stretch;
                tooMuch = watch == null ? stretch : tooMuch;
            }
            return isWorthIt ? watch : null;
        }

        synchronized void lose(@Nullable Watch old) {
            if (old != null && old == watch) {
                link.forget(old);
                watch = null;
            }
        }
    }
}
