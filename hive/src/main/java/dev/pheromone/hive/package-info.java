/// Queen and workers: what happens to mail, whichever transport carries it.
@NullMarked
package dev.pheromone.hive;

import org.jspecify.annotations.NullMarked;
