/// One inbox, from the choice of a copy to the end of its claim.
/// [dev.pheromone.file.inbox.FileInbox] is the class to read first; `Selecting` takes a file,
/// `Intake` checks it, `Settling` ends its claim, and `Retrieval` brings back what others lost.
/// [dev.pheromone.file.inbox.Inboxes] joins the parts of each.
///
/// Knows copies, admission, and what a lock kept; no other transports.
@NullMarked
package dev.pheromone.file.inbox;

import org.jspecify.annotations.NullMarked;
