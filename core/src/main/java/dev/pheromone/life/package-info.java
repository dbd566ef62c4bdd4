/// The life of one copy of an envelope, as a pure state machine: what may happen to the copy, what
/// becomes of it, why, and which events that leaves.
///
/// Read [dev.pheromone.life.Life] first. Transports store a life, each in its own way, and none of
/// them decides again what is decided here. Time, limits and trust are arguments.
@NullMarked
package dev.pheromone.life;

import org.jspecify.annotations.NullMarked;
