/// Contracts that every transport keeps, and the tools to test them.
@NullMarked
package dev.pheromone.testkit;

import org.jspecify.annotations.NullMarked;
