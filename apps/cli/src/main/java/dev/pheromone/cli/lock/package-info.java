/// Locks that people set: lock, unlock, check, override, and the embargo of what a lock kept back.
/// Read `LockCommand` first; `LockListing` is what is locked and since when. Knows the frame, and
/// no other verbs.
@NullMarked
package dev.pheromone.cli.lock;

import org.jspecify.annotations.NullMarked;
