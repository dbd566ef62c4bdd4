/// Pages with pictures, for people to show each other: plain HTML and SVG in one file.
@NullMarked
package dev.pheromone.cli.report;

import org.jspecify.annotations.NullMarked;
