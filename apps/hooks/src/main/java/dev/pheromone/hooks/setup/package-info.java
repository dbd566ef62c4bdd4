/// What `rsm setup` writes for agent programs, text in, text out: settings with our hooks, rules
/// and ignored paths for what may not be read, and the texts from which an agent learns `rsm`. To
/// read first: `SetupFiles`, which says what each program gets.
@NullMarked
package dev.pheromone.hooks.setup;

import org.jspecify.annotations.NullMarked;
