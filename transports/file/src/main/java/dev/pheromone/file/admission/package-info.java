/// Who may put mail into an inbox, and when. [dev.pheromone.file.admission.Admission] is the class
/// to read first: it counts what each sender sends, and asks how full the inbox is. Mail of senders
/// that people muted waits in [dev.pheromone.file.admission.Parking].
///
/// Knows copies and the event log; no claims, no locks and no other transports.
@NullMarked
package dev.pheromone.file.admission;

import org.jspecify.annotations.NullMarked;
