package dev.pheromone.nats;

import dev.pheromone.address.Domain;

import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// How many picks were made from one inbox, counted on the server: every reader goes on where the
/// last one stopped, also one that picks once and ends. So each fourth pick is the due turn,
/// whoever makes it.
///
/// A count that is lost, or that two readers make at the same moment, is harmless: the due turn
/// comes a pick earlier or later.
final class Picks {

    /// The pick that comes now.
    ///
    /// @param number from 1
    /// @param revision of the count that it goes on from
    record Pick(long number, long revision) {}

    private final ReconnectingConnection connection;
    private final Names names;
    private final Domain domain;

    Picks(ReconnectingConnection connection, Names names, Domain domain) {
        this.connection = connection;
        this.names = names;
        this.domain = domain;
    }

    /// Asked now, and waited for later.
    Exchange.Later<Pick> nextSoon(Exchange exchange) {
        Exchange.Later<Optional<MessageInfo>> asked =
                connection.lastSoon(exchange, names.recordStream(), names.picks(domain));
        return () -> {
            Optional<MessageInfo> last = asked.get();
            return last.isEmpty()
                    ? new Pick(1, MailRecords.UNWRITTEN)
                    : new Pick(number(last.get().getData()) + 1, last.get().getSeq());
        };
    }

    private static long number(byte[] data) {
        try {
            return Long.parseLong(new String(data, StandardCharsets.US_ASCII));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /// Counts the pick, at the same time as its mail is claimed. Whoever gets the mail has it,
    /// whether it can be counted or not. What is returned waits for the count.
    Runnable count(Exchange exchange, Pick pick) {
        byte[] number = Long.toString(pick.number()).getBytes(StandardCharsets.US_ASCII);
        Exchange.Later<PublishAck> counted =
                connection.storeSoon(exchange, names.picks(domain), number, pick.revision());
        return () -> {
            try {
                var _ = counted.get();
            } catch (IOException e) {
                // Another reader counted at the same moment, or the server is full.
            }
        };
    }
}
