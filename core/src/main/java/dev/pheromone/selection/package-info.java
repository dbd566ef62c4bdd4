/// The order in which mail is taken: [dev.pheromone.selection.Urgency] weighs one copy, and a
/// [dev.pheromone.selection.WaitingLine] keeps many in order. Pure: time is an argument.
@NullMarked
package dev.pheromone.selection;

import org.jspecify.annotations.NullMarked;
