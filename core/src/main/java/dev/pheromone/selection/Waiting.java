package dev.pheromone.selection;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;

import org.jspecify.annotations.Nullable;

/// One file in an inbox, as a look at it shows: mail, or something that can't be mail and why.
public sealed interface Waiting {

    /// Where it lies, such as a file's path in the hive.
    String location();

    /// An envelope that waits its turn.
    record Mail(Header header, Urgency urgency, int attempt, String location) implements Waiting {}

    /// A file that will not be delivered as it is: being written still, or no envelope.
    record Bad(String location, String reason, @Nullable EnvelopeId id) implements Waiting {}
}
