package dev.pheromone.mqtt;

import dev.pheromone.address.Domain;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/// The names of one hive's things on the broker: topics and client identifiers.
record Topics(String hive) {

    private static final int NONCE_BYTES = 16;
    private static final Pattern NONCE = Pattern.compile("[0-9a-f]{" + 2 * NONCE_BYTES + "}");
    private static final SecureRandom RANDOM = new SecureRandom();

    Topics {
        if (!Domain.isName(hive)) {
            throw new IllegalArgumentException(
                    "hive: found \""
                            + hive
                            + "\", expected lower-case letters, digits, dashes or underscores");
        }
    }

    /// A name that nobody guesses: 128 random bits in lower-case hexadecimal.
    static String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /// The topic or filter below the hive's own: `rsm/HIVE/…`.
    String of(String path) {
        return "rsm/" + hive + "/" + path;
    }

    /// Where mail for an inbox is published.
    String inbox(Domain inbox) {
        return of("inbox/" + inbox);
    }

    /// Where one sender hears what became of its mail.
    String receipt(String nonce) {
        return of("receipt/" + nonce);
    }

    /// Whether receipts may be published there. A response topic is whatever a sender says.
    boolean isReceipt(String topic) {
        String prefix = of("receipt/");
        return topic.startsWith(prefix)
                && NONCE.matcher(topic.substring(prefix.length())).matches();
    }

    /// Where the broker keeps who receives for an inbox.
    String presence(Domain inbox) {
        return of("presence/" + inbox);
    }

    /// The inbox that a presence is about.
    Optional<Domain> inboxOfPresence(String topic) {
        String prefix = of("presence/");
        return topic.startsWith(prefix)
                ? Domain.find(topic.substring(prefix.length()))
                : Optional.empty();
    }

    /// Where events are published.
    String events() {
        return of("rse");
    }

    /// The client identifier of the receiver of an inbox. The broker lets in one client of a name
    /// at a time, so an inbox has one receiver.
    String receiver(Domain inbox) {
        return of(inbox.name());
    }
}
