package dev.pheromone.file.inbox;

import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
import java.util.Optional;

/// An inbox as people use it: a look at what comes next, and the envelope that they pick.
public final class Picking {

    private final Inboxes inboxes;
    private final Domain domain;

    public Picking(Inboxes inboxes, Domain domain) {
        this.inboxes = inboxes;
        this.domain = domain;
    }

    /// What a selection would take now, without taking it; empty if nothing is ready.
    public Optional<Preview> preview() throws IOException {
        try (FileInbox inbox = inboxes.open(domain)) {
            return inbox.preview();
        }
    }

    /// Takes this very envelope, whatever else waits.
    public Selection take(EnvelopeId id, Actor worker, Lease lease) throws IOException {
        try (FileInbox inbox = inboxes.open(domain)) {
            return inbox.take(id, worker, lease);
        }
    }
}
