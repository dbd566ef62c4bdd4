/// Durable files: every operation that a hive's files are built from, and where each file lies.
///
/// Read [dev.pheromone.disk.Disk] first, then [dev.pheromone.disk.GuardedFiles], the one disk that
/// a hive is given: it asks the guard of core before each operation.
/// [dev.pheromone.disk.HiveLayout] says which file lies where; [dev.pheromone.disk.LogFile] and
/// [dev.pheromone.disk.GroupCommit] append; [dev.pheromone.disk.KernelLock] keeps other processes
/// out; [dev.pheromone.disk.InboxWatcher] hears of changes.
///
/// The package may know core's values and the guard's interface, the file system, and how git lays
/// out a work tree. It knows no envelope's text, no lock's rules, no event and no configuration.
@NullMarked
package dev.pheromone.disk;

import org.jspecify.annotations.NullMarked;
