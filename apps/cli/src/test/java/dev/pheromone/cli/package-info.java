/// Tests of the command line. What people see is tested by the scripts in `scripts/`, which read
/// like a session.
@NullMarked
package dev.pheromone.cli;

import org.jspecify.annotations.NullMarked;
