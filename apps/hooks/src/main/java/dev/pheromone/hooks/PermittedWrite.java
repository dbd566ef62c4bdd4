package dev.pheromone.hooks;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Permission;

import java.nio.file.Path;

/// A file that is about to be written in spite of a lock, by a person's leave.
public record PermittedWrite(Path path, ContentHash content, Permission leave) {}
