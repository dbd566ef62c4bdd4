package dev.pheromone.mqtt;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What the broker keeps for one inbox, as anybody may read it.
final class Shelf {

    /// How many records are asked for at once.
    private static final int RECORDS_MAX = 200;

    /// What was found.
    ///
    /// @param isWhole whether that is all there is, as far as one can know
    record Found(List<Post> posts, boolean isWhole) {}

    /// @param unreadable whose record somebody else has written
    record Records(Map<EnvelopeId, MailRecord> readable, Set<EnvelopeId> unreadable) {}

    private final Link link;
    private final Names names;
    private final Domain domain;

    Shelf(Link link, Names names, Domain domain) {
        this.link = link;
        this.names = names;
        this.domain = domain;
    }

    /// The mail, in no order. Where it is much it is read in parts, so that the broker has less to
    /// queue at a time.
    Found mail() throws IOException {
        Found all = mail(names.allMailOf(domain));
        if (all.isWhole()) {
            return all;
        }
        List<Post> posts = new ArrayList<>();
        boolean isWhole = true;
        for (String shard : names.shardsOf(domain)) {
            Found part = mail(shard);
            posts.addAll(part.posts());
            isWhole &= part.isWhole();
        }
        return new Found(posts, isWhole);
    }

    private Found mail(String filter) throws IOException {
        Collection<Post> found = link.read(List.of(filter), Link.Width.WIDE).values();
        return new Found(List.copyOf(found), found.size() <= Link.CERTAIN_MAX);
    }

    /// The mail under one id: more than one only if several sent under it at the same time.
    Collection<Post> mail(EnvelopeId id) throws IOException {
        return link.read(List.of(names.mailOf(domain, id)), Link.Width.NARROW).values();
    }

    Optional<MailRecord> record(EnvelopeId id) throws IOException {
        return Optional.ofNullable(records(List.of(id)).readable().get(id));
    }

    /// The records of those that have one.
    Records records(List<EnvelopeId> ids) throws IOException {
        Records records = new Records(new HashMap<>(), new HashSet<>());
        for (int from = 0; from < ids.size(); from += RECORDS_MAX) {
            List<EnvelopeId> some = ids.subList(from, Math.min(ids.size(), from + RECORDS_MAX));
            Map<String, Post> found =
                    link.read(
                            some.stream().map(id -> names.record(domain, id)).toList(),
                            Link.Width.NARROW);
            for (Post post : found.values()) {
                EnvelopeId id = EnvelopeId.parse(Names.lastPart(post.topic()));
                try {
                    records.readable().put(id, MailRecord.parse(post.payload()));
                } catch (IOException e) {
                    records.unreadable().add(id);
                }
            }
        }
        return records;
    }
}
