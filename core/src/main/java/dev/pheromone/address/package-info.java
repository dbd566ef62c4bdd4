/// Who writes and who is written to: an [dev.pheromone.address.Address] is what a header says, a
/// [dev.pheromone.address.Domain] the inbox that it means, an [dev.pheromone.address.Actor]
/// somebody who acts, and a [dev.pheromone.address.Reach] how far a way for mail leads.
///
/// Knows only text.
@NullMarked
package dev.pheromone.address;

import org.jspecify.annotations.NullMarked;
