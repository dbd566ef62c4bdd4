/// Mail, from being written to being settled: send, reply, select, ack, release, retry, read,
/// inbox, mute. Read `SendCommand` first; a `SentAnswer` says what became of each copy, and
/// `SendAndWait` waits for an answer. Knows the frame, and no other verbs.
@NullMarked
package dev.pheromone.cli.mail;

import org.jspecify.annotations.NullMarked;
