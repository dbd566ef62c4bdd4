package dev.pheromone.lock;

import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.YamlFields;
import dev.pheromone.config.YamlText;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.text.IsoTime;

import java.time.Instant;

/// What a person permits in spite of a lock: one content, in one file, for a time.
///
/// @param ts from when on
/// @param requestor who asked for it
/// @param source who permits it
/// @param target the file, relative to the hive root
/// @param ttl for how long
/// @param hash of the whole content
public record Leave(
        Instant ts,
        String requestor,
        String source,
        String target,
        String reason,
        Ttl ttl,
        ContentHash hash) {

    /// The keys of the file that says it, all of them needed.
    static final String[] KEYS = {
        "override", "ts", "requestor", "source", "target", "reason", "ttl", "hash"
    };

    static Leave of(YamlFields fields) throws MalformedYamlException {
        for (String key : KEYS) {
            String _ = fields.required(key, Leave::parseText);
        }
        return new Leave(
                fields.required("ts", IsoTime::parse),
                fields.required("requestor", text -> text),
                fields.required("source", text -> text),
                fields.required("target", text -> text),
                fields.required("reason", text -> text),
                fields.required("ttl", Ttl::parse),
                fields.required("hash", ContentHash::parse));
    }

    private static String parseText(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("found nothing, expected a text");
        }
        return text;
    }

    /// When it is over.
    public Instant ends() {
        return ts.plus(ttl.duration());
    }

    /// As a file has it, without a signature.
    String yaml() {
        return """
        override: ALLOW-WRITE
        ts: %s
        requestor: %s
        source: %s
        target: %s
        reason: %s
        ttl: %s
        hash: %s
        """
                .formatted(
                        IsoTime.format(ts),
                        YamlText.quoted(requestor),
                        YamlText.quoted(source),
                        YamlText.quoted(target),
                        YamlText.quoted(reason),
                        ttl,
                        hash);
    }
}
