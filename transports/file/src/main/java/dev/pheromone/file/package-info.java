/// The reference transport: a hive of plain files that `cat` and `grep` read.
@NullMarked
package dev.pheromone.file;

import org.jspecify.annotations.NullMarked;
