/// The event log as lines in files: [dev.pheromone.file.log.JsonlRseLog] appends and reads, by way
/// of a [dev.pheromone.file.log.LogIndex] where there is one, [dev.pheromone.file.log.GuardReports]
/// tells what a lock withheld, and [dev.pheromone.file.log.GovernanceLog] what people decided.
///
/// Knows events and files; no inbox.
@NullMarked
package dev.pheromone.file.log;

import org.jspecify.annotations.NullMarked;
