/// What is kept while a lock holds: [dev.pheromone.file.embargo.EmbargoInboxes] keeps mail,
/// [dev.pheromone.file.embargo.KeptOutcomes] keeps what became of work, and
/// [dev.pheromone.file.embargo.Advisory] tells the sender. What a person lets pass in spite of a
/// lock goes by [dev.pheromone.file.embargo.PermittedMail].
///
/// Knows copies and the log; no inbox, and nothing of how mail gets out again.
@NullMarked
package dev.pheromone.file.embargo;

import org.jspecify.annotations.NullMarked;
