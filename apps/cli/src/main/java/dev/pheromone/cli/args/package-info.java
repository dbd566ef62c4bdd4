/// What people type: options declared once, and from them parsing, help pages, suggestions and
/// shell completion.
@NullMarked
package dev.pheromone.cli.args;

import org.jspecify.annotations.NullMarked;
