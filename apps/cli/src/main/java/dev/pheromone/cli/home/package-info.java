/// The hive as a place: init makes one, doctor and audit say what is wrong with it. Read
/// `DoctorCommand` first; a checkup is one thing that it looks into.
@NullMarked
package dev.pheromone.cli.home;

import org.jspecify.annotations.NullMarked;
