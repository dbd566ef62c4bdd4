package dev.pheromone.file.embargo;

import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// How mail that a lock keeps in the embargo goes on when it is released.
///
/// @param transport by which it goes; null for the hive's own inboxes
/// @param only the one of them that gets a copy; null for all that it is addressed to
/// @param missing what its sender wanted if its inbox is not there
public record Onward(@Nullable String transport, @Nullable Domain only, MissingInbox missing) {

    /// Into the hive's own inboxes, or one of them.
    public static Onward here(@Nullable Domain only, MissingInbox missing) {
        return new Onward(null, only, missing);
    }

    /// Over the transport of this name.
    public static Onward by(String transport, MissingInbox missing) {
        return new Onward(transport, null, missing);
    }

    /// Whom `envelope` is for, as far as that is known without a look into the hive.
    public List<Address> targets(Envelope envelope) {
        return only == null ? envelope.to() : List.of(only.address());
    }
}
