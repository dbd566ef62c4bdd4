package dev.pheromone.address;

import java.util.List;

/// Thrown when an address leads to no inbox. Knows the inboxes there are, to help whoever mistyped.
public final class NoSuchInboxException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient Address address;
    private final transient List<Domain> known;

    /// No inbox answers to `address`; there are those of `known`.
    public NoSuchInboxException(Address address, List<Domain> known) {
        super("no inbox " + address);
        this.address = address;
        this.known = List.copyOf(known);
    }

    /// The address that leads nowhere.
    public Address address() {
        return address;
    }

    /// The inboxes that exist.
    public List<Domain> known() {
        return known;
    }
}
