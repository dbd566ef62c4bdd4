package dev.pheromone.mqtt;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
                // In this order: that there is no record must be true in the time of that keeper.
                List<Post> posts = new ArrayList<>(watch.under(names.office(domain)));
                posts.addAll(watch.under(id.text()));
                Known known = known(domain, posts);
                // What the broker has it may not have written yet; once more, and it has.
                if (known.posts().isEmpty() || link.catchUp(watch)) {
                    return known;
                }
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
        private boolean isBusy;

        Sight(Domain domain) {
            this.domain = domain;
        }

        /// Null if the broker is to be asked: who sends but once, or ids from here and there, would
        /// listen for nothing. So do others while one begins to listen, instead of waiting for it.
        @Nullable Watch of(String stretch) throws IOException {
            synchronized (this) {
                if (watch != null && stretch.equals(watched)) {
                    return watch;
                }
                boolean isWorthIt = stretch.equals(last) && !stretch.equals(tooMuch) && !isBusy;
                last = stretch;
                if (!isWorthIt) {
                    return null;
                }
                isBusy = true;
            }
            Optional<Watch> fresh = Optional.empty();
            try {
                List<String> filters = new ArrayList<>(names.ofStretch(domain, stretch));
                filters.add(names.office(domain));
                fresh = link.watch(filters);
                return fresh.orElse(null);
            } finally {
                begin(stretch, fresh);
            }
        }

        private synchronized void begin(String stretch, Optional<Watch> fresh) {
            isBusy = false;
            lose(watch);
            watch = fresh.orElse(null);
            watched = stretch;
            tooMuch = fresh.isEmpty() ? stretch : tooMuch;
        }

        synchronized void lose(@Nullable Watch old) {
            if (old != null && old == watch) {
                link.forget(old);
                watch = null;
            }
        }
    }
}
