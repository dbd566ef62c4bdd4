/// Mail, from being written to being settled: send, reply, select, ack, release, retry, read,
/// inbox, mute. Read `SendCommand` first; `Mailing` sends what it composed and says what became of
/// each copy in a `SentAnswer`. Knows the frame, and no other verbs.
@NullMarked
package dev.pheromone.cli.mail;

import org.jspecify.annotations.NullMarked;
