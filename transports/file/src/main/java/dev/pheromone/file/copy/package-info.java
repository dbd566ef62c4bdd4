/// The copies of envelopes as names and links: which file is which copy, in which state, held by
/// whom. [dev.pheromone.file.copy.ClaimedFiles] is the class to read first: it moves a copy from
/// one state to the next, as `dev.pheromone.life` decided. [dev.pheromone.file.copy.Copies] joins
/// the parts, in the name of one actor.
///
/// Knows the log and the folders of one hive; neither who may send how much, nor locks.
@NullMarked
package dev.pheromone.file.copy;

import org.jspecify.annotations.NullMarked;
