/// The reference transport: a hive of plain files that `cat` and `grep` read.
/// [dev.pheromone.file.FileTransport] is the class to read first; `HiveParts` joins the rooms, and
/// `Posting` and `Dispatch` are the way of mail into a hive.
///
/// Knows all rooms below it, and is known by none.
@NullMarked
package dev.pheromone.file;

import org.jspecify.annotations.NullMarked;
