package dev.pheromone.file.inbox;

import dev.pheromone.selection.Waiting;

/// What a selection would take now, and why.
public record Preview(Waiting.Mail mail, String rationale) {}
