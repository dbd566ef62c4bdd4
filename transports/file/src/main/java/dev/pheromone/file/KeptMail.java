package dev.pheromone.file;

import dev.pheromone.Envelope;

import org.jspecify.annotations.Nullable;

/// Mail that waits in the mirror.
///
/// @param location relative to the hive root
/// @param transport by which it was to go; null for the hive's own inboxes
/// @param missing what its sender wanted if its inbox is not there
/// @param envelope null if the file is none that could be released
/// @param problem why not
public record KeptMail(
        String location,
        @Nullable String transport,
        MissingInbox missing,
        @Nullable Envelope envelope,
        String problem) {}
