/// Sessions of agent programs at a hive: who sits there, how each is told of its mail, and what
/// shows that a model saw it. Read `Bell` first.
///
/// All that is kept lies in the folder of seats and is disposable. Nothing here decides what
/// becomes of mail.
@NullMarked
package dev.pheromone.session.seat;

import org.jspecify.annotations.NullMarked;
