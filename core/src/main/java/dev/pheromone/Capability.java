package dev.pheromone;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// A promise that not every transport can make. What it leaves out of its capabilities it does not
/// promise; everything else in the contract holds for all.
public enum Capability {
    /// What was acknowledged survives a power cut of the machine that keeps it.
    SURVIVES_POWER_CUT,
    /// The next envelope is the most urgent of all that wait, after decay and failures. Without it,
    /// it is the most urgent of those that are first in their class as sent.
    EFFECTIVE_ORDER,
    /// Every fourth pick from an inbox is the due turn, whoever makes the pick. Every transport
    /// keeps this promise; a server that leaves it out is of version 0.1, where each reader counts
    /// for itself, and a reader that picks once never comes to the due turn.
    SHARED_TURNS,
    /// An attended claim ends with the process that made it. Without it, when its lease is over.
    ATTENDED_LEASES,
    /// What is given back with a pause is not handed out before it is over. Without it, at once.
    PAUSES_RELEASED,
    /// Finished mail can be read again.
    KEEPS_DONE,
    /// Locks withhold mail.
    HEEDS_LOCKS,
    /// Full inboxes and busy senders are slowed down or refused.
    THROTTLES,
    /// Each step leaves an event in the hive's log.
    LOGS_EVENTS;

    /// The promises of these names, as [#toString] gives them; unknown ones are left out, for they
    /// may be of a later version.
    public static Set<Capability> ofNames(Collection<String> names) {
        EnumSet<Capability> known = EnumSet.allOf(Capability.class);
        known.removeIf(capability -> !names.contains(capability.toString()));
        return known;
    }

    /// The name that people see: `survives-power-cut`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
