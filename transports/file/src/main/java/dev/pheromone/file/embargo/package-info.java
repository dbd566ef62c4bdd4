/// What is kept while a lock holds: [dev.pheromone.file.embargo.Mirror] keeps mail,
/// [dev.pheromone.file.embargo.KeptOutcomes] keeps what became of work, and
/// [dev.pheromone.file.embargo.Advisory] tells the sender.
@NullMarked
package dev.pheromone.file.embargo;

import org.jspecify.annotations.NullMarked;
