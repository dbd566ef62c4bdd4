/// The repository checks itself: direction of dependencies, names, sizes, lists in documents,
/// banned calls.
@NullMarked
package dev.pheromone.tidy;

import org.jspecify.annotations.NullMarked;
