package dev.pheromone.redaction;

/// Where something was found, and what it is; never the thing itself.
///
/// @param line counted from 1, as the text was
/// @param column the character in that line, counted from 1
public record Finding(String kind, int line, int column) {}
