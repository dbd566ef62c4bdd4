package dev.pheromone;

import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.guard.Lock;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/// What became of one copy of an envelope. All but `Failed` are everyday outcomes.
public sealed interface SendResult {

    /// It is there, and survives a power cut where the transport promises so.
    record Delivered(String location) implements SendResult {}

    /// It is there, but the disk did not confirm it: a power cut may still take it. Sending again
    /// is safe.
    record Unconfirmed(String location, String reason) implements SendResult {}

    /// The same envelope was there already: waiting, being worked on, or finished.
    record Duplicate(String location) implements SendResult {}

    /// Another envelope has this id. Nothing was stored.
    record Conflict(String location, String reason) implements SendResult {}

    /// A lock forbids it. `embargo` is where the envelope waits, or empty if nothing was stored.
    record Withheld(Lock lock, String reason, String embargo) implements SendResult {}

    /// Not now: the inbox is full or the sender too fast.
    record Refused(Duration retryAfter, String reason) implements SendResult {}

    /// Kept, because its sender is muted; it is delivered by itself when that ends. Sending again
    /// changes nothing.
    ///
    /// @param until when the mute ends, unless it is lifted before
    record Parked(String location, Instant until, String reason) implements SendResult {}

    /// Kept here, because nobody on the other side of the transport has confirmed it; it goes by
    /// itself until somebody has. Sending again changes nothing.
    ///
    /// @param at where it is beside that
    record Spooled(String location, Place at, String reason) implements SendResult {}

    /// Sent, and no receiver has confirmed it: it may have arrived, may still arrive, or may be
    /// lost. Sending again is safe.
    ///
    /// @param at where it certainly is
    record Unanswered(Place at, String reason) implements SendResult {}

    /// Where mail is that no receiver has confirmed.
    enum Place {
        /// With its sender alone: a broker did not take it, or has nobody to keep it for.
        HERE,
        /// A broker has it, and keeps it for a receiver.
        BROKER;

        /// The place of that name; fails on any other text.
        public static Place parse(String text) {
            return switch (text) {
                case "here" -> HERE;
                case "broker" -> BROKER;
                default ->
                        throw new IllegalArgumentException(
                                "at: found \"" + text + "\", expected here or broker");
            };
        }

        /// The name that people see: `broker`.
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// The transport carries farther than its sender allowed. Nothing was stored, here or
    /// elsewhere.
    record BeyondConsent(Consent consent, Reach reach) implements SendResult {}

    /// The envelope is public, and may not become so as it is. Nothing was stored.
    ///
    /// @param kinds what was found, by kind: `email`, `github-token`; empty if nothing could be
    ///   looked for
    record NotPublic(List<String> kinds, String reason) implements SendResult {
        public NotPublic {
            kinds = List.copyOf(kinds);
        }
    }

    /// Not now and not later: nothing was stored, and the same bytes will not be taken when they
    /// are sent again.
    record Rejected(Ground ground, String reason) implements SendResult {}

    /// What a copy was rejected for.
    enum Ground {
        /// Its inbox is not there.
        NO_SUCH_INBOX,
        /// The mail itself: its form, its hash, its addresses, its date, or a ttl that is over.
        THE_MAIL
    }

    /// The disk failed and nothing was stored, or the network did and nothing was confirmed.
    /// Sending again is safe.
    record Failed(IOException cause) implements SendResult {}

    /// Why the copy was not simply taken, in words; empty if it was.
    default String why() {
        return switch (this) {
            case Delivered _, Duplicate _ -> "";
            case Conflict(var _, var reason) -> reason;
            case NotPublic(var _, var reason) -> reason;
            case BeyondConsent(var consent, var reach) ->
                    "consent is %s, and the receiver reaches %s".formatted(consent, reach);
            case Withheld(var lock, var reason, var _) ->
                    "under lock %s: %s".formatted(lock.kind(), reason);
            case Unconfirmed(var _, var reason) -> reason;
            case Unanswered(var _, var reason) -> reason;
            case Refused(var _, var reason) -> reason;
            case Rejected(var _, var reason) -> reason;
            case Parked(var _, var _, var reason) -> reason;
            case Spooled(var _, var _, var reason) -> reason;
            case Failed(var cause) -> String.valueOf(cause.getMessage());
        };
    }
}
