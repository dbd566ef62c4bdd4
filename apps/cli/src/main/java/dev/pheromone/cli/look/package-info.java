/// What people look at without changing it, and the signals they leave: status, log, watch, trace,
/// search, archive, slo, sense, drop. Read `StatusCommand` first; `HiveState` is the hive at one
/// moment, and a `LiveFrame` shows it as long as it is on the screen.
@NullMarked
package dev.pheromone.cli.look;

import org.jspecify.annotations.NullMarked;
