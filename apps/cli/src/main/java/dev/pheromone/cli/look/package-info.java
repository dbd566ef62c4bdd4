/// What people look at without changing it, and the signals they leave: status, log, watch, trace,
/// search, archive, slo, sense, drop. Read `StatusCommand` first; the session says what goes on at
/// one moment (`HiveState`), and a `LiveFrame` shows it as long as it is on the screen.
@NullMarked
package dev.pheromone.cli.look;

import org.jspecify.annotations.NullMarked;
