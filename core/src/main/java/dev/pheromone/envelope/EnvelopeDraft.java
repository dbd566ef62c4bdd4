package dev.pheromone.envelope;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.text.IsoTime;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// An envelope in the making: [#seal()] writes it, in UTF-8, with line feeds, in the
/// specification's field order.
///
/// Lanes beyond the known ones are taken as they are; whether the hive allows them is for the
/// sender to check.
public final class EnvelopeDraft {

    private static final Priority PRIORITY = Priority.P2;
    private static final Ttl TTL = Ttl.parse("1d");

    private final Actor from;
    private final List<Address> to;
    private final Lane lane;
    private final String topic;
    private @Nullable EnvelopeId id;
    private @Nullable Instant ts;
    private Priority priority = PRIORITY;
    private Ttl ttl = TTL;
    private Consent consent = Consent.TEAM;
    private @Nullable String scope;
    private @Nullable Address replyTo;
    private @Nullable EnvelopeId correlationId;
    private List<String> tags = List.of();
    private List<Attachment> attachments = List.of();
    private @Nullable TraceParent traceparent;
    private int hops;
    private @Nullable FromOrigin fromOrigin;
    private @Nullable Ask ask;
    private @Nullable String answer;
    private byte[] body = {};

    EnvelopeDraft(Actor from, List<Address> to, Lane lane, String topic) {
        this.from = from;
        this.to = List.copyOf(to);
        this.lane = lane;
        this.topic = topic;
        if (to.isEmpty()) {
            throw new IllegalArgumentException("envelope from " + from + " has nobody in \"to\"");
        }
    }

    /// The id; without one, a new ULID of the envelope's time.
    public EnvelopeDraft id(EnvelopeId id) {
        this.id = id;
        return this;
    }

    /// The time of sending, which each envelope needs; written to the millisecond.
    public EnvelopeDraft ts(Instant ts) {
        this.ts = ts;
        return this;
    }

    /// P2 if not said otherwise.
    public EnvelopeDraft priority(Priority priority) {
        this.priority = priority;
        return this;
    }

    /// One day if not said otherwise.
    public EnvelopeDraft ttl(Ttl ttl) {
        this.ttl = ttl;
        return this;
    }

    /// The files that it is about; none if not said otherwise.
    public EnvelopeDraft scope(String scope) {
        this.scope = scope;
        return this;
    }

    /// Team if not said otherwise.
    public EnvelopeDraft consent(Consent consent) {
        this.consent = consent;
        return this;
    }

    /// Words to find it by, in the place of those given before.
    public EnvelopeDraft tags(List<String> tags) {
        this.tags = List.copyOf(tags);
        return this;
    }

    /// Where an answer goes; to the sender if not said otherwise.
    public EnvelopeDraft replyTo(Address replyTo) {
        this.replyTo = replyTo;
        return this;
    }

    /// The first envelope of the conversation that this one belongs to.
    public EnvelopeDraft correlationId(EnvelopeId correlationId) {
        this.correlationId = correlationId;
        return this;
    }

    /// How many replies led to this one; at most [Envelope#HOPS_MAX].
    public EnvelopeDraft hops(int hops) {
        this.hops = hops;
        return this;
    }

    /// Where the name of the sender was taken from.
    public EnvelopeDraft fromOrigin(FromOrigin fromOrigin) {
        this.fromOrigin = fromOrigin;
        return this;
    }

    /// What it asks; a question's own deadline is written to the millisecond.
    public EnvelopeDraft ask(Ask ask) {
        this.ask = ask;
        return this;
    }

    /// The answer to the question that the correlation id names.
    public EnvelopeDraft answer(String answer) {
        this.answer = answer;
        return this;
    }

    /// Files that go with it, in the place of those given before.
    public EnvelopeDraft attachments(List<Attachment> attachments) {
        this.attachments = List.copyOf(attachments);
        return this;
    }

    /// The trace that it belongs to.
    public EnvelopeDraft traceparent(TraceParent traceparent) {
        this.traceparent = traceparent;
        return this;
    }

    /// The body, as it is: at most [EnvelopeText#BODY_BYTES_MAX] bytes.
    public EnvelopeDraft body(byte[] body) {
        this.body = body.clone();
        return this;
    }

    /// The body as UTF-8: at most [EnvelopeText#BODY_BYTES_MAX] bytes.
    public EnvelopeDraft body(String body) {
        this.body = body.getBytes(StandardCharsets.UTF_8);
        return this;
    }

    /// The finished envelope. Fails if a value can't stand in a header, such as a topic of two
    /// lines.
    public Envelope seal() {
        try {
            Envelope sealed = Envelope.ofOwned(write());
            checkReadsBack(sealed);
            return sealed;
        } catch (MalformedEnvelopeException e) {
            throw new IllegalArgumentException("envelope from " + from + ": " + e.getMessage(), e);
        }
    }

    /// What was typed must read back as it was typed, or somebody else would read another envelope.
    private void checkReadsBack(Envelope sealed) {
        same(FieldName.TO, to, sealed.to());
        same(FieldName.LANE, lane, sealed.lane());
        same(FieldName.TOPIC, topic, sealed.topic());
        same(FieldName.SCOPE, Optional.ofNullable(scope), sealed.scope());
        same(FieldName.TAGS, tags, sealed.tags());
        same(FieldName.ATTACHMENTS, attachments, sealed.attachments());
        Ask readBack = sealed.ask().orElse(null);
        same(FieldName.ASK, ask != null, readBack != null);
        if (ask != null && readBack != null) {
            same(FieldName.ASK, ask.choices(), readBack.choices());
            same(
                    FieldName.ASK_DEFAULT,
                    Optional.ofNullable(ask.fallback()),
                    Optional.ofNullable(readBack.fallback()));
        }
        same(FieldName.ANSWER, Optional.ofNullable(answer), sealed.answer());
    }

    private static void same(FieldName name, Object given, Object readBack) {
        if (!given.equals(readBack)) {
            throw new IllegalArgumentException(
                    name + ": found " + given + ", which a header would read as " + readBack);
        }
    }

    private byte[] write() {
        Instant time = ts;
        if (time == null) {
            throw new IllegalStateException(
                    "envelope from " + from + " has no ts, expected one before it is sealed");
        }
        HeaderWriter header =
                new HeaderWriter()
                        .field(FieldName.ID, id == null ? EnvelopeId.random(time) : id)
                        .field(FieldName.TS, IsoTime.format(time))
                        .field(FieldName.FROM, from)
                        .list(FieldName.TO, to)
                        .field(FieldName.REPLY_TO, replyTo)
                        .field(FieldName.CORRELATION_ID, correlationId)
                        .text(FieldName.LANE, lane.name())
                        .text(FieldName.TOPIC, topic)
                        .field(FieldName.PRIORITY, priority)
                        .field(FieldName.TTL, ttl)
                        .text(FieldName.SCOPE, scope)
                        .field(FieldName.CONSENT, consent)
                        .field(FieldName.HASH, ContentHash.of(body))
                        .list(FieldName.TAGS, tags)
                        .list(FieldName.ATTACHMENTS, attachments)
                        .field(FieldName.TRACEPARENT, traceparent)
                        .field(FieldName.HOPS, hops == 0 ? null : hops)
                        .field(FieldName.FROM_ORIGIN, fromOrigin);
        if (ask != null) {
            Instant deadline = ask.deadline();
            header.listOrNone(FieldName.ASK, ask.choices())
                    .field(FieldName.ASK_FREE, ask.free() ? "true" : null)
                    .text(FieldName.ASK_DEFAULT, ask.fallback())
                    .field(
                            FieldName.ASK_DEADLINE,
                            deadline == null ? null : IsoTime.format(deadline))
                    .list(FieldName.ASK_OF, ask.of());
        }
        return header.text(FieldName.ANSWER, answer).close(body);
    }
}
