/// Sending: from what a caller says to what became of each copy.
///
/// Read `Composer` first, which makes an envelope of a `Draft` and has `Signing` sign it; `Mailing`
/// hands it on. `Answered` says what a reply answers to a question, `Retry` sends anew what ended,
/// `Forwarding` what waits in an outbox, and `Embargo` what a lock kept.
///
/// Knows callers and the open hive.
@NullMarked
package dev.pheromone.session.mail;

import org.jspecify.annotations.NullMarked;
