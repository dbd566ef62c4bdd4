/// The Model Context Protocol, on the server's side: messages, the revisions that are spoken, and
/// how they come over standard streams and over HTTP. What is answered is told by [Methods]; read
/// [Protocol] first. Nothing here knows of hives.
@NullMarked
package dev.pheromone.mcp;

import org.jspecify.annotations.NullMarked;
