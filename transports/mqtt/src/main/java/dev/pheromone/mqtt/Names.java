package dev.pheromone.mqtt;

import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.State;

import java.util.List;

/// The names of one hive's things on the broker: topics, filters and client identifiers.
///
/// Mail lies under a topic with its fingerprint in it, so that nothing but the same mail can
/// replace it.
record Names(String hive) {

    private static final String ROOT = "rsm/";

    /// Mail is spread over so many topics, by the first letter of its fingerprint, for those who
    /// can't read a full inbox in one go.
    private static final String SHARDS = "0123456789abcdef";

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
        return mailOf(domain) + "/" + hex.charAt(0) + "/" + id + "/" + hex;
    }

    String mailOf(Domain domain) {
        return of("mail/") + domain;
    }

    String mailOf(Domain domain, EnvelopeId id) {
        return mailOf(domain) + "/+/" + id + "/+";
    }

    String allMailOf(Domain domain) {
        return mailOf(domain) + "/+/+/+";
    }

    /// Filters that find all mail of an inbox together, and a part of it each.
    List<String> shardsOf(Domain domain) {
        return SHARDS.chars()
                .mapToObj(shard -> mailOf(domain) + "/" + (char) shard + "/+/+")
                .toList();
    }

    /// What became of a copy.
    String record(Domain domain, EnvelopeId id) {
        return of("record/") + domain + "/" + id;
    }

    /// Where mail is kept that ended otherwise than done.
    String archived(Domain domain, State state, String name) {
        return of("archive/") + domain + "/" + state + "/" + name;
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

    static String lastPart(String topic) {
        return topic.substring(topic.lastIndexOf('/') + 1);
    }
}
