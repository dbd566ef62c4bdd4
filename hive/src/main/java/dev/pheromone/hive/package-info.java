/// Workers and signals: what happens to mail, whichever transport carries it.
/// [dev.pheromone.hive.Hive] is the loop over one inbox, and the class to read first.
///
/// Knows the interfaces of core; no transport, no lock and no session.
@NullMarked
package dev.pheromone.hive;

import org.jspecify.annotations.NullMarked;
