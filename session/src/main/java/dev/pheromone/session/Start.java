package dev.pheromone.session;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.session.look.HiveState;

import java.util.List;

/// What an agent has to know when it begins at a hive. There are no words of others in it.
///
/// @param actor who the caller is here
/// @param address where the caller's own mail comes
/// @param boxes the inboxes in which something waits
/// @param claims what the caller holds
/// @param locks what is locked
public record Start(
        Actor actor,
        Address address,
        List<HiveState.Box> boxes,
        List<HiveState.Claimed> claims,
        List<HiveLocks.Active> locks) {

    public Start {
        boxes = List.copyOf(boxes);
        claims = List.copyOf(claims);
        locks = List.copyOf(locks);
    }
}
