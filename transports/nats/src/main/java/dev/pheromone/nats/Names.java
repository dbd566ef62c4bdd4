package dev.pheromone.nats;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;

import java.util.List;
import java.util.Optional;

/// The names of one hive's things on the server: streams, subjects, consumers and keys.
record Names(String hive) {

    /// In the subject of archived mail, before whose name there are a prefix, the hive, a word, the
    /// inbox and the state.
    private static final int ARCHIVED_PARTS = 6;

    Names {
        if (!Domain.isName(hive)) {
            throw new IllegalArgumentException(
                    "hive: found \""
                            + hive
                            + "\", expected lower-case letters, digits, dashes or underscores");
        }
    }

    /// The work queue: mail that waits or is being worked on.
    String mailStream() {
        return hive + "-mail";
    }

    /// Mail that ended without being done.
    String archiveStream() {
        return hive + "-archive";
    }

    /// The stream of the key-value bucket of records; the server's tools know it by this prefix.
    String recordStream() {
        return "KV_" + hive + "-records";
    }

    String allMail() {
        return "pheromone." + hive + ".mail.>";
    }

    String mailOf(Domain domain) {
        return "pheromone." + hive + ".mail." + domain + ".>";
    }

    String mailOf(Domain domain, Priority priority) {
        return "pheromone." + hive + ".mail." + domain + "." + priority + ".*";
    }

    String mail(Domain domain, Priority priority, EnvelopeId id) {
        return "pheromone." + hive + ".mail." + domain + "." + priority + "." + id;
    }

    /// Whether mail of this id for `domain` lies under `subject`, whatever its class.
    boolean isMail(String subject, Domain domain, EnvelopeId id) {
        return subject.startsWith("pheromone." + hive + ".mail." + domain + ".")
                && lastPart(subject).equals(id.toString());
    }

    String allArchived() {
        return "pheromone." + hive + ".archive.>";
    }

    String archived(Domain domain, State state, String name) {
        return "pheromone." + hive + ".archive." + domain + "." + state + "." + name;
    }

    /// The inbox, the state and the name in such a subject; nothing if it is none.
    static List<String> archivedParts(String subject) {
        String[] parts = subject.split("\\.", ARCHIVED_PARTS);
        return parts.length == ARCHIVED_PARTS ? List.of(parts[3], parts[4], parts[5]) : List.of();
    }

    String allRecords() {
        return "$KV." + hive + "-records.>";
    }

    String record(Domain domain, EnvelopeId id) {
        return "$KV." + hive + "-records." + domain + "." + id;
    }

    /// Whose mail this id belongs to: written for the mail that comes first, and anew for the next
    /// once that has ended and left the id free.
    String mark(Domain domain, EnvelopeId id) {
        return record(domain, id) + ".mark";
    }

    /// How many picks were made from an inbox. No id looks like this.
    String picks(Domain domain) {
        return "$KV." + hive + "-records." + domain + ".picks";
    }

    /// Where is tried whether there is room.
    String probe(EnvelopeId id) {
        return "$KV." + hive + "-records.probe." + id + ".probe";
    }

    static String consumer(Domain domain, Priority priority) {
        return domain + "-" + priority;
    }

    /// The inbox whose least urgent mail the consumer of this name hands out: an inbox exists once
    /// it has that one, which is made last.
    static Optional<Domain> inboxOf(String consumer) {
        String suffix = "-" + Priority.P3;
        if (!consumer.endsWith(suffix)) {
            return Optional.empty();
        }
        return Domain.find(consumer.substring(0, consumer.length() - suffix.length()));
    }

    /// The last part of a subject: an id, if it is one.
    static String lastPart(String subject) {
        return subject.substring(subject.lastIndexOf('.') + 1);
    }
}
