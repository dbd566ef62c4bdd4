/// Envelopes and their text: an [dev.pheromone.envelope.Envelope] in hand is always valid and keeps
/// the very bytes that it was read from; [dev.pheromone.envelope.EnvelopeText] finds the fields in
/// them, and the other values are what a header can say.
///
/// Knows text and addresses. What a key may vouch for is decided above, in `dev.pheromone.trust`.
@NullMarked
package dev.pheromone.envelope;

import org.jspecify.annotations.NullMarked;
