/// The resident process: it answers short commands in the place of a process of their own. Begin
/// with [dev.pheromone.cli.resident.Endpoint]. A request says all that a process would find around
/// it, so that the answer is the same; what may be answered so is said in
/// [dev.pheromone.cli.resident.Servable].
@NullMarked
package dev.pheromone.cli.resident;

import org.jspecify.annotations.NullMarked;
