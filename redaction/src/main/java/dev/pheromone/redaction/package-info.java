/// Redaction: secrets, addresses and names are found in mail by rules that are data, and replaced
/// by typed marks before it becomes public. No files, no threads, no clock.
@NullMarked
package dev.pheromone.redaction;

import org.jspecify.annotations.NullMarked;
