package dev.pheromone.session.mail;

import dev.pheromone.file.embargo.MissingInbox;

import java.time.Duration;

/// How hard a caller wants mail to be sent.
///
/// @param missing what becomes of mail whose inbox is not there
/// @param patience how long mail that is refused for now is tried again
public record Sending(MissingInbox missing, Duration patience) {

    /// To inboxes that are there, with one try.
    public static final Sending ONCE = new Sending(MissingInbox.FAILS, Duration.ZERO);
}
