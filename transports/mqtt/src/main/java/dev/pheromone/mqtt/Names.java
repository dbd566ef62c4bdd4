package dev.pheromone.mqtt;

import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.State;

import java.util.List;
import java.util.Optional;

/// The names of one hive's things on the broker: topics, filters and client identifiers.
///
/// Mail lies under a topic with its fingerprint in it, so that nothing but the same mail can
/// replace it.
record Names(String hive) {

    private static final String ROOT = "rsm/";

    /// Mail is spread over so many topics, by the first letter of its fingerprint, for those who
    /// can't read a full inbox in one go.
    private static final String SHARDS = "0123456789abcdef";

    /// So many letters of a ULID are the same for half a minute,
    private static final int ULID_STRETCH = 7;

    /// and so many of a UUID for a minute, if it is of the kind that begins with the time.
    private static final int UUID_STRETCH = 8;

    private static final int KIND = 2;
    private static final int MAIL_ID = 6;

    Names {
        if (!Domain.isName(hive)) {
            throw new IllegalArgumentException(
                    "hive: found \""
                            + hive
                            + "\", expected lower-case letters, digits, dashes or underscores");
        }
    }

    private String of(String kind) {
        return ROOT + hive + "/" + kind;
    }

    String mail(Domain domain, EnvelopeId id, ContentHash fingerprint) {
        String hex = fingerprint.hex();
        return mailOf(domain) + "/" + hex.charAt(0) + "/" + stretch(id) + "/" + id + "/" + hex;
    }

    String mailOf(Domain domain) {
        return of("mail/") + domain;
    }

    String mailOf(Domain domain, EnvelopeId id) {
        return mailOf(domain) + "/+/" + stretch(id) + "/" + id + "/+";
    }

    String allMailOf(Domain domain) {
        return mailOf(domain) + "/+/+/+/+";
    }

    /// What the ids have in common that are given out at about the same time. Ids of other kinds
    /// have little in common, and that is no harm.
    static String stretch(EnvelopeId id) {
        return id.text().substring(0, id.text().contains("-") ? UUID_STRETCH : ULID_STRETCH);
    }

    /// Filters that find the mail and the records of all ids of a stretch.
    List<String> ofStretch(Domain domain, String stretch) {
        return List.of(
                mailOf(domain) + "/+/" + stretch + "/+/+", recordsOf(domain) + stretch + "/+");
    }

    /// Filters that find all mail of an inbox together, and a part of it each.
    List<String> shardsOf(Domain domain) {
        return SHARDS.chars()
                .mapToObj(shard -> mailOf(domain) + "/" + (char) shard + "/+/+/+")
                .toList();
    }

    /// What became of a copy.
    String record(Domain domain, EnvelopeId id) {
        return recordsOf(domain) + stretch(id) + "/" + id;
    }

    private String recordsOf(Domain domain) {
        return of("record/") + domain + "/";
    }

    /// Where mail is kept that ended otherwise than done.
    String archived(Domain domain, State state, String name) {
        return of("archive/") + domain + "/" + state + "/" + name;
    }

    String allArchived() {
        return of("archive/") + "+/+/+";
    }

    /// The sign that an inbox exists.
    String inbox(String domain) {
        return of("inbox/") + domain;
    }

    /// Where the keeper of an inbox is asked.
    String ask(Domain domain) {
        return of("ask/") + domain;
    }

    /// Who keeps an inbox: a word that is another with each keeper.
    String office(Domain domain) {
        return of("office/") + domain;
    }

    /// Where one process hears answers.
    String to(String client) {
        return of("to/") + client;
    }

    /// Where is said that mail has come.
    String news(Domain domain) {
        return of("news/") + domain;
    }

    /// As `news`, but of all who listen only one hears each.
    String sharedNews(Domain domain) {
        return "$share/" + domain + "/" + news(domain);
    }

    String present(String client) {
        return of("present/") + client;
    }

    String check(String name) {
        return of("check/") + name;
    }

    /// The one identifier under which an inbox is kept: the broker lets in one at a time.
    String keeper(Domain domain) {
        return "pheromone/" + hive + "/" + domain;
    }

    static boolean isMail(String topic) {
        return part(topic, KIND).equals("mail");
    }

    /// The id in the topic of mail or of a record.
    static Optional<String> idIn(String topic) {
        String text =
                switch (part(topic, KIND)) {
                    case "mail" -> part(topic, MAIL_ID);
                    case "record" -> lastPart(topic);
                    default -> "";
                };
        return EnvelopeId.isId(text) ? Optional.of(text) : Optional.empty();
    }

    private static String part(String topic, int index) {
        String[] parts = topic.split("/", -1);
        return index < parts.length ? parts[index] : "";
    }

    static String lastPart(String topic) {
        return topic.substring(topic.lastIndexOf('/') + 1);
    }
}
