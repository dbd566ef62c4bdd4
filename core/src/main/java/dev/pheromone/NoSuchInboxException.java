package dev.pheromone;

import java.util.List;

/// Thrown when an address leads to no inbox. Knows the names that come closest, for whoever mistyped.
public final class NoSuchInboxException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient Address address;
    private final transient List<Domain> nearest;

    public NoSuchInboxException(Address address, List<Domain> nearest) {
        super("no inbox " + address);
        this.address = address;
        this.nearest = List.copyOf(nearest);
    }

    public Address address() {
        return address;
    }

    /// The existing inboxes with the most similar names, best first; may be empty.
    public List<Domain> nearest() {
        return nearest;
    }
}
