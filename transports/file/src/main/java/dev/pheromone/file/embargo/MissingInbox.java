package dev.pheromone.file.embargo;

/// What mail does whose inbox is not there.
public enum MissingInbox {
    /// It is not sent.
    FAILS,
    /// The inbox is made first, as whoever sends it asked; if it can't go now, then when it goes.
    IS_MADE
}
