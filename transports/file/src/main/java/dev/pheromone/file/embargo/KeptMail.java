package dev.pheromone.file.embargo;

import dev.pheromone.envelope.Envelope;

import org.jspecify.annotations.Nullable;

/// Mail that waits in the embargo.
///
/// @param location relative to the hive root
/// @param envelope null if the file is none that could be released
/// @param problem why not
public record KeptMail(
        String location, Onward onward, @Nullable Envelope envelope, String problem) {}
