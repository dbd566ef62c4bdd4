/// What looks over the whole hive. [dev.pheromone.file.upkeep.Recovery] is the class to read first:
/// it finishes what dead processes left half done, and `MissingEvents` completes the log.
/// `Housekeeping` does both every now and then. [dev.pheromone.file.upkeep.Catalog] says where
/// every copy is, and [dev.pheromone.file.upkeep.Checkup] what is wrong with the place.
///
/// Knows all other rooms; only the transport itself knows this one.
@NullMarked
package dev.pheromone.file.upkeep;

import org.jspecify.annotations.NullMarked;
