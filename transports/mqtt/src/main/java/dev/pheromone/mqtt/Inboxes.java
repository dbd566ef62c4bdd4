package dev.pheromone.mqtt;

import dev.pheromone.Domain;
import dev.pheromone.Recipients;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The inboxes of a hive on a broker: each is a message that says that it is there.
final class Inboxes implements Recipients.Inboxes {

    private static final byte[] EXISTS = {'1'};

    private final Link link;
    private final Names names;

    Inboxes(Link link, Names names) {
        this.link = link;
        this.names = names;
    }

    @Override
    public List<Domain> list() throws IOException {
        return link.read(List.of(names.inbox("+")), Link.Width.NARROW).keySet().stream()
                .map(Names::lastPart)
                .map(Domain::find)
                .flatMap(Optional::stream)
                .sorted()
                .toList();
    }

    @Override
    public void make(Domain inbox) throws IOException {
        link.store(Post.kept(names.inbox(inbox.name()), EXISTS));
    }
}
