package dev.pheromone.file.admission;

import dev.pheromone.address.Actor;
import dev.pheromone.disk.HiveLayout;

import java.time.Instant;

/// A sender whose mail is kept aside for a while.
///
/// @param by who muted it
public record Mute(Actor actor, Instant since, Instant until, String reason, String by) {

    /// Whether `sender` is the muted one, as files name senders.
    public boolean isOf(Actor sender) {
        return HiveLayout.fileNameOf(actor).equals(HiveLayout.fileNameOf(sender));
    }

    /// Whether it has run out.
    public boolean isOver(Instant now) {
        return !now.isBefore(until);
    }
}
