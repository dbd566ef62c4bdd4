/// What people see: tables that fit, and foreign text made harmless.
@NullMarked
package dev.pheromone.cli.terminal;

import org.jspecify.annotations.NullMarked;
