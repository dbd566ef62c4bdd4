/// Hooks for agent programs: what a tool call would touch, whether a lock forbids it, and how the
/// hook gets into the program's settings. Everything here is text in, answer out; reading locks and
/// writing settings is the caller's.
@NullMarked
package dev.pheromone.hooks;

import org.jspecify.annotations.NullMarked;
