package dev.pheromone.redaction;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.Attachment;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeText;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// An envelope as it may become public: what was found in it is marked, and the original stays.
///
/// | field | in the copy |
/// |---|---|
/// | `topic`, `scope`, `tags`, body | with marks |
/// | `attachments` | without those whose path would need a mark: it would lead nowhere |
/// | `lane`, `priority`, `ttl`, `hops` | as they are; a lane that would need a mark is refused |
/// | `to` | the caller's choice; an address that would need a mark is refused |
/// | `from` | whoever publishes, under the name that signs: never marked |
/// | `correlation_id` | the original's id |
/// | `reply_to`, `traceparent`, `from_origin`, unknown fields, comments | left out |
/// | `id`, `ts`, `hash`, `sig`, `kid` | new |
public final class PublicCopy {

    /// As long as a topic may be.
    private static final int TOPIC_LENGTH_MAX = 256;

    private static final String TOPIC = "topic";
    private static final String SCOPE = "scope";
    private static final String TAGS = "tags";
    private static final String ATTACHMENTS = "attachments";
    private static final String BODY = "body";

    /// The rest of the header: fields that the copy leaves out, and comments.
    private static final String HEADER = "header";

    /// Fields whose values are looked through under their own names, or whose grammar has no room
    /// for a secret.
    private static final Set<String> COVERED =
            Set.of(
                    "id",
                    "ts",
                    "from",
                    "to",
                    "correlation_id",
                    "lane",
                    TOPIC,
                    "priority",
                    "ttl",
                    SCOPE,
                    "consent",
                    "sig",
                    "kid",
                    "hash",
                    TAGS,
                    ATTACHMENTS,
                    "hops");

    private final Envelope original;
    private final Redactor redactor;
    private final Map<String, List<Redaction>> fields = new LinkedHashMap<>();

    private PublicCopy(Envelope original, Redactor redactor) {
        this.original = original;
        Map<String, List<String>> texts = texts(original);
        List<String> all = new ArrayList<>();
        texts.values().forEach(all::addAll);
        this.redactor = redactor.taughtBy(all);
        texts.forEach((field, values) ->
                fields.put(field, values.stream().map(this.redactor::redactAsTaught).toList()));
    }

    /// What `redactor` makes of `original`.
    public static PublicCopy of(Envelope original, Redactor redactor) {
        return new PublicCopy(original, redactor);
    }

    private static Map<String, List<String>> texts(Envelope original) {
        Map<String, List<String>> texts = new LinkedHashMap<>();
        texts.put(TOPIC, List.of(original.topic()));
        texts.put(SCOPE, original.scope().stream().toList());
        texts.put(TAGS, original.tags());
        texts.put(ATTACHMENTS, original.attachments().stream().map(Attachment::path).toList());
        texts.put(HEADER, List.of(restOfHeader(original)));
        // What is no text in it could not be looked through: it becomes U+FFFD.
        texts.put(BODY, List.of(original.bodyText()));
        return texts;
    }

    /// The header's lines, with nothing but a comment left of those of [#COVERED] fields.
    private static String restOfHeader(Envelope original) {
        byte[] bytes = original.bytes();
        EnvelopeText text = original.text();
        StringBuilder rest = new StringBuilder();
        int at = text.headerStart();
        for (EnvelopeText.Field field : text.fields()) {
            rest.append(string(bytes, at, field.start()));
            String lines = string(bytes, field.start(), field.end());
            rest.append(
                    COVERED.contains(field.key()) ? lines.replaceAll("(?m)^[^#\n]*", "") : lines);
            at = field.end();
        }
        return rest.append(string(bytes, at, text.headerEnd())).toString();
    }

    private static String string(byte[] bytes, int start, int end) {
        return new String(bytes, start, Math.max(end - start, 0), StandardCharsets.UTF_8);
    }

    /// Whether nothing was found.
    public boolean isClean() {
        return findings().values().stream().allMatch(List::isEmpty);
    }

    /// What was found, by field, in the header's order and the body last; fields without any are
    /// left out.
    public Map<String, List<Finding>> findings() {
        Map<String, List<Finding>> findings = new LinkedHashMap<>();
        fields.forEach((field, redactions) -> {
            List<Finding> found = new ArrayList<>();
            redactions.forEach(redaction -> found.addAll(redaction.findings()));
            if (!found.isEmpty()) {
                findings.put(field, List.copyOf(found));
            }
        });
        return Collections.unmodifiableMap(findings);
    }

    /// How often each kind was found, by kind.
    public Map<String, Integer> counts() {
        List<Finding> all = new ArrayList<>();
        findings().values().forEach(all::addAll);
        return Redaction.counts(all);
    }

    /// The change as a unified diff: the header's fields that change, then the body. It shows what
    /// is taken out, and is empty if nothing is.
    public String diff() {
        StringBuilder header = new StringBuilder();
        fields.forEach((field, redactions) -> {
            for (Redaction redaction : redactions) {
                if (field.equals(HEADER)) {
                    redaction
                            .diff()
                            .lines()
                            .filter(line -> line.startsWith("-"))
                            .forEach(line -> header.append(line).append('\n'));
                } else if (!field.equals(BODY) && !redaction.isClean()) {
                    header.append('-').append(line(field, redaction.before()));
                    if (!field.equals(ATTACHMENTS)) {
                        header.append('+').append(line(field, redaction.after()));
                    }
                }
            }
        });
        String body = field(BODY).getFirst().diff();
        return (header.isEmpty() ? "" : "@@ header @@\n") + header + body;
    }

    private static String line(String field, String value) {
        return field + ": " + value + "\n";
    }

    private List<Redaction> field(String name) {
        return fields.getOrDefault(name, List.of());
    }

    /// The copy in the making, to be signed by whoever publishes it.
    ///
    /// @throws UnmarkableFieldException if a recipient or the lane would need a mark
    /// @throws IllegalArgumentException if the marks make the envelope larger than one may be; told
    ///   when it is sealed
    public EnvelopeDraft draft(Actor from, List<Address> to, Instant now)
            throws UnmarkableFieldException {
        checkUnmarked(to);
        EnvelopeDraft draft =
                Envelope.draft(from, to, original.lane(), topic())
                        .ts(now)
                        .priority(original.priority())
                        .ttl(original.ttl())
                        .consent(Consent.PUBLIC)
                        .tags(field(TAGS).stream().map(Redaction::after).toList())
                        .attachments(attachments())
                        .correlationId(original.id())
                        .hops(original.hops());
        field(SCOPE).forEach(scope -> draft.scope(scope.after()));
        // Bytes as they were, unless marks had to be set: nothing is decoded that need not be.
        Redaction body = field(BODY).getFirst();
        return body.isClean() && isText() ? draft.body(original.body()) : draft.body(body.after());
    }

    /// The kinds of all that keeps the original from becoming public, recipients and lane included;
    /// each once, sorted.
    List<String> kinds() {
        Set<String> kinds = new TreeSet<>(counts().keySet());
        for (Address address : original.to()) {
            kinds.addAll(redactor.redactAsTaught(address.toString()).counts().keySet());
        }
        kinds.addAll(redactor.redactAsTaught(original.lane().name()).counts().keySet());
        return List.copyOf(kinds);
    }

    /// Fails if a field that can't take a mark would need one: the lane, or a recipient.
    public void checkUnmarked(List<Address> to) throws UnmarkableFieldException {
        for (int i = 0; i < to.size(); i++) {
            Redaction address = redactor.redactAsTaught(to.get(i).toString());
            if (!address.isClean()) {
                throw new UnmarkableFieldException(
                        "to",
                        "recipient %d of %d holds %s, which must not become public, and an address"
                                        .formatted(i + 1, to.size(), kinds(address))
                                + " can't take a mark; expected another recipient");
            }
        }
        Redaction lane = redactor.redactAsTaught(original.lane().name());
        if (!lane.isClean()) {
            throw new UnmarkableFieldException(
                    "lane",
                    "it holds "
                            + kinds(lane)
                            + ", which must not become public, and a lane can't take a mark;"
                            + " expected one of the known lanes");
        }
    }

    private static String kinds(Redaction redaction) {
        return String.join(" and ", redaction.counts().keySet());
    }

    private boolean isText() {
        return original.bodyText().indexOf('\uFFFD') < 0;
    }

    private List<Attachment> attachments() {
        List<Attachment> kept = new ArrayList<>();
        List<Redaction> paths = field(ATTACHMENTS);
        for (int i = 0; i < paths.size(); i++) {
            if (paths.get(i).isClean()) {
                kept.add(original.attachments().get(i));
            }
        }
        return kept;
    }

    /// The topic with marks, cut if they make it too long; never within a mark.
    private String topic() {
        String topic = field(TOPIC).getFirst().after();
        if (topic.codePointCount(0, topic.length()) <= TOPIC_LENGTH_MAX) {
            return topic;
        }
        int end = topic.offsetByCodePoints(0, TOPIC_LENGTH_MAX - 1);
        for (Span mark : Mark.in(topic)) {
            if (mark.start() < end && mark.end() > end) {
                end = mark.start();
            }
        }
        return topic.substring(0, end).stripTrailing() + "…";
    }

    /// How often each kind was found; never what.
    @Override
    public String toString() {
        return "public copy of " + original.id() + " " + counts();
    }
}
