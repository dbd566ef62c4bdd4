package dev.pheromone.mqtt;

import dev.pheromone.Domain;

import java.util.HexFormat;
import java.util.Optional;

/// The names of one hive's things on the broker: topics and client identifiers.
record Topics(String hive) {

    private static final String ROOT = "rsm/";
    private static final int NONCE_LENGTH = 32;

    Topics {
        if (!Domain.isName(hive)) {
            throw new IllegalArgumentException(
                    "hive: found \""
                            + hive
                            + "\", expected lower-case letters, digits, dashes or underscores");
        }
    }

    private String of(String kind) {
        return ROOT + hive + "/" + kind + "/";
    }

    /// Where mail for an inbox is published.
    String inbox(Domain inbox) {
        return of("inbox") + inbox;
    }

    /// Where one sender hears what became of its mail.
    String receipt(String nonce) {
        return of("receipt") + nonce;
    }

    /// Whether receipts may be published there. A response topic is whatever a sender says.
    boolean isReceipt(String topic) {
        String prefix = of("receipt");
        return topic.startsWith(prefix) && isNonce(topic.substring(prefix.length()));
    }

    private static boolean isNonce(String text) {
        return text.length() == NONCE_LENGTH
                && text.chars().allMatch(c -> HexFormat.isHexDigit(c) && !(c >= 'A' && c <= 'F'));
    }

    /// Where is kept who receives for an inbox.
    String presence(Domain inbox) {
        return of("presence") + inbox;
    }

    /// The filter for all presences.
    String presences() {
        return of("presence") + "+";
    }

    /// The inbox that a presence is about.
    Optional<Domain> inboxOfPresence(String topic) {
        String prefix = of("presence");
        return topic.startsWith(prefix)
                ? Domain.find(topic.substring(prefix.length()))
                : Optional.empty();
    }

    /// The client identifier of whoever receives for an inbox. The broker lets in one client of a
    /// name at a time, so an inbox has one receiver.
    String receiver(Domain inbox) {
        return ROOT + hive + "/" + inbox;
    }
}
