/// Tests of the pages with pictures.
@NullMarked
package dev.pheromone.cli.report;

import org.jspecify.annotations.NullMarked;
