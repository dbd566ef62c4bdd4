package dev.pheromone.file.embargo;

import dev.pheromone.address.Address;

/// What mail does whose inbox is not there.
public enum MissingInbox {
    /// It is not sent.
    FAILS,
    /// The inbox is made first, as whoever sends it asked; if it can't go now, then when it goes.
    IS_MADE;

    /// Whether the inbox of `address` is made, if there is none. Lanes are served by the inboxes
    /// that the configuration names, and have none of their own to make.
    public boolean makes(Address address) {
        return this == IS_MADE && !(address instanceof Address.OfLane);
    }
}
