/// Locks: what may be touched. People set locks and lift them, everybody else is judged by them.
///
/// Read [dev.pheromone.lock.LockFiles] first, the guard that judges: the hive's own lock, then the
/// [dev.pheromone.lock.LockLists], then the [dev.pheromone.lock.OutsideGuard].
/// [dev.pheromone.lock.Locksmith] sets and lifts, [dev.pheromone.lock.Gate] makes setting a lock
/// wait for work that is under way, [dev.pheromone.lock.LockRecords] remember what a lock covered,
/// [dev.pheromone.lock.Overrides] let one content pass, and a [dev.pheromone.lock.KeptCopy] tells
/// what nobody may read while the lock holds.
///
/// The package may know files, where they lie in a hive, and what people configured. It knows no
/// inbox, no claim and no transport.
@NullMarked
package dev.pheromone.lock;

import org.jspecify.annotations.NullMarked;
