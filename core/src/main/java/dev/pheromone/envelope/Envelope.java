package dev.pheromone.envelope;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.EnvelopeText.Field;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// One message: a header that says from whom, to whom and what about, and a Markdown body; valid,
/// and never changed.
///
/// It carries the exact bytes it was read from, so that what is read and written again is the same
/// file. Whether the body is the one that the header's hash names is a question of its own:
/// [#hashMatches()].
public final class Envelope {

    /// The most replies to replies.
    public static final int HOPS_MAX = 8;

    /// The fields in which two copies of the same mail may differ: a retry stamps and signs anew.
    /// The hash is compared as a value: it has two spellings.
    private static final Set<String> FREE_TO_DIFFER =
            Set.of("ts", "sig", "kid", "traceparent", "from_origin", "hash");

    private final EnvelopeText text;
    private final EnvelopeId id;
    private final Instant ts;
    private final Actor from;
    private final List<Address> to;
    private final @Nullable Address replyTo;
    private final @Nullable EnvelopeId correlationId;
    private final Lane lane;
    private final String topic;
    private final Priority priority;
    private final Ttl ttl;
    private final @Nullable String scope;
    private final Consent consent;
    private final @Nullable Signature signature;
    private final ContentHash hash;
    private final List<String> tags;
    private final @Nullable KeyId kid;
    private final List<Attachment> attachments;
    private final @Nullable TraceParent traceparent;
    private final int hops;
    private final @Nullable FromOrigin fromOrigin;
    private final @Nullable Ask ask;
    private final @Nullable String answer;
    private final List<String> warnings;

    /// Null until somebody asks: it costs more than reading the envelope did.
    private @Nullable ContentHash fingerprint;

    private Envelope(EnvelopeText text) throws MalformedEnvelopeException {
        this.text = text;
        List<String> warnings = new ArrayList<>();
        HeaderFields fields = new HeaderFields(text);
        id = fields.id();
        ts = fields.ts();
        from = fields.from();
        to = fields.to();
        replyTo = fields.optional(FieldName.REPLY_TO, Address::parse);
        correlationId = fields.optional(FieldName.CORRELATION_ID, EnvelopeId::parse);
        lane = fields.lane();
        if (!lane.isKnown()) {
            warnings.add(
                    fields.place(FieldName.LANE)
                            + "found \""
                            + lane
                            + "\", which is none of the known lanes");
        }
        topic = fields.topic();
        priority = fields.priority();
        ttl = fields.ttl();
        scope = fields.optional(FieldName.SCOPE, HeaderFields::parseText);
        Consent given = fields.optional(FieldName.CONSENT, Consent::parse);
        consent = given == null ? Consent.TEAM : given;
        signature = fields.signature();
        hash = fields.hash();
        tags = fields.list(FieldName.TAGS, HeaderFields::parseText);
        kid = fields.optional(FieldName.KID, KeyId::parse);
        attachments = fields.list(FieldName.ATTACHMENTS, Attachment::parse);
        traceparent = fields.lenient(FieldName.TRACEPARENT, TraceParent::parse, warnings);
        Integer givenHops = fields.optional(FieldName.HOPS, HeaderFields::parseHops);
        hops = givenHops == null ? 0 : givenHops;
        fromOrigin = fields.lenient(FieldName.FROM_ORIGIN, FromOrigin::parse, warnings);
        ask = fields.ask(warnings);
        answer =
                fields.find(FieldName.ANSWER) == null
                        ? null
                        : fields.lenient(FieldName.ANSWER, Ask::parseAnswer, warnings);
        this.warnings = List.copyOf(warnings);
    }

    /// The envelope in `bytes`, all of them; they are copied.
    public static Envelope parse(byte[] bytes) throws MalformedEnvelopeException {
        return ofOwned(bytes.clone());
    }

    /// As [#parse], without the copy: nobody else changes `bytes` from now on.
    static Envelope ofOwned(byte[] bytes) throws MalformedEnvelopeException {
        return new Envelope(EnvelopeText.parse(bytes));
    }

    /// A new envelope in the making, from what each must have; the rest has defaults.
    public static EnvelopeDraft draft(Actor from, List<Address> to, Lane lane, String topic) {
        return new EnvelopeDraft(from, to, lane, topic);
    }

    /// The envelope that somebody wrote by hand without `id`, `ts` or `hash`: what is missing or
    /// empty is filled in, every other byte stays.
    public static Envelope complete(byte[] partial, EnvelopeId idIfMissing, Instant tsIfMissing)
            throws MalformedEnvelopeException {
        return ofOwned(HeaderEdit.complete(partial.clone(), idIfMissing, tsIfMissing));
    }

    /// This envelope with the signature that `sign` makes of the bytes that it vouches for: the
    /// `sig` and `kid` lines are set, every other byte stays.
    public Envelope signed(
            KeyId by, Signature.Algorithm algorithm, Function<byte[], Signature> sign) {
        try {
            Envelope named = ofOwned(HeaderEdit.withKid(this, by));
            Signature made = sign.apply(named.signedBytes(algorithm));
            return ofOwned(HeaderEdit.withSignature(named, made));
        } catch (MalformedEnvelopeException e) {
            throw new IllegalArgumentException(
                    "envelope " + id + " has no room for a signature: " + e.getMessage(), e);
        }
    }

    /// The bytes that a signature vouches for, by the key that the header names.
    public byte[] signedBytes(Signature.Algorithm algorithm) {
        return SignedBytes.of(text, algorithm, kid);
    }

    /// The name under which it is known everywhere; sent again, it keeps it.
    public EnvelopeId id() {
        return id;
    }

    /// When it was sent, by the sender's clock.
    public Instant ts() {
        return ts;
    }

    /// Who sent it, as it says; only a signature proves it.
    public Actor from() {
        return from;
    }

    /// The addresses it is meant for; at least one.
    public List<Address> to() {
        return to;
    }

    /// Where an answer goes, if not to the sender.
    public Optional<Address> replyTo() {
        return Optional.ofNullable(replyTo);
    }

    /// The first envelope of the conversation, if it is part of one.
    public Optional<EnvelopeId> correlationId() {
        return Optional.ofNullable(correlationId);
    }

    /// The kind of work.
    public Lane lane() {
        return lane;
    }

    /// What it is about, in one line.
    public String topic() {
        return topic;
    }

    /// How urgent its sender says it is.
    public Priority priority() {
        return priority;
    }

    /// How long after `ts` it is worth something.
    public Ttl ttl() {
        return ttl;
    }

    /// When its time to live is over, by the sender's clock.
    public Instant expiresAt() {
        return ts.plus(ttl.duration());
    }

    /// The files that it is about, as patterns.
    public Optional<String> scope() {
        return Optional.ofNullable(scope);
    }

    /// How far it may travel.
    public Consent consent() {
        return consent;
    }

    /// Its signature, if it has one; `TrustList` says what that is worth.
    public Optional<Signature> signature() {
        return Optional.ofNullable(signature);
    }

    /// The key that signed it, as it says.
    public Optional<KeyId> kid() {
        return Optional.ofNullable(kid);
    }

    /// The hash that the header gives for the body.
    public ContentHash hash() {
        return hash;
    }

    /// Whether the body has the hash that the header gives; computed at each call.
    public boolean hashMatches() {
        return ContentHash.of(text.bytes(), text.bodyStart(), bodySize()).equals(hash);
    }

    /// Words to find it by.
    public List<String> tags() {
        return tags;
    }

    /// Files that go with it, by path and hash.
    public List<Attachment> attachments() {
        return attachments;
    }

    /// The trace that it belongs to, as W3C Trace Context writes it.
    public Optional<TraceParent> traceparent() {
        return Optional.ofNullable(traceparent);
    }

    /// How many replies led to this one.
    public int hops() {
        return hops;
    }

    /// Where the name in `from` was taken from, as the sender says.
    public Optional<FromOrigin> fromOrigin() {
        return Optional.ofNullable(fromOrigin);
    }

    /// What it asks, if it is a question.
    public Optional<Ask> ask() {
        return Optional.ofNullable(ask);
    }

    /// What it answers to the question that [#correlationId] names, if it is an answer.
    public Optional<String> answer() {
        return Optional.ofNullable(answer);
    }

    /// What is odd but no error, each with its line.
    public List<String> warnings() {
        return warnings;
    }

    /// The names of fields that have no meaning here; they are kept.
    public List<String> extra() {
        return text.fields().stream()
                .map(Field::key)
                .filter(key -> !FieldName.isKnown(key))
                .toList();
    }

    /// The header's fields and the places of header and body in the bytes.
    public EnvelopeText text() {
        return text;
    }

    /// A copy of the body's bytes.
    public byte[] body() {
        return Arrays.copyOfRange(text.bytes(), text.bodyStart(), text.length());
    }

    /// The body as text; what is not UTF-8 in it appears as U+FFFD.
    public String bodyText() {
        return new String(text.bytes(), text.bodyStart(), bodySize(), StandardCharsets.UTF_8);
    }

    /// How many bytes the body has.
    public int bodySize() {
        return text.length() - text.bodyStart();
    }

    /// A copy of all bytes.
    public byte[] bytes() {
        return text.bytes().clone();
    }

    /// All bytes, read-only and without a copy: for writing them out.
    public ByteBuffer buffer() {
        return ByteBuffer.wrap(text.bytes()).asReadOnlyBuffer();
    }

    /// The length of all bytes.
    public int size() {
        return text.length();
    }

    /// Whether `other` is this mail sent again: same id, same hash, and the same header but for
    /// time, signature, trace and the origin of its sender's name. Everything else with this id is
    /// a conflict.
    public boolean isSameMailAs(Envelope other) {
        return id.equals(other.id)
                && hash.equals(other.hash)
                && comparedFields().equals(other.comparedFields());
    }

    /// A digest of what `isSameMailAs` compares: for whoever has to know this mail again and does
    /// not keep it.
    public ContentHash fingerprint() {
        // Whoever comes at the same time works out the same.
        @Nullable ContentHash known = fingerprint;
        if (known == null) {
            String compared =
                    comparedFields().stream()
                            .map(Object::toString)
                            .sorted()
                            .collect(Collectors.joining("\n", id + "\n" + hash + "\n", ""));
            known = ContentHash.of(compared.getBytes(StandardCharsets.UTF_8));
            fingerprint = known;
        }
        return known;
    }

    private Set<List<Object>> comparedFields() {
        return text.fields().stream()
                .filter(field -> !FREE_TO_DIFFER.contains(field.key()))
                .map(field -> List.<Object>of(field.key(), field.shape(), field.values()))
                .collect(Collectors.toUnmodifiableSet());
    }

    /// Whether `other` has the same bytes.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Envelope envelope
                && Arrays.equals(text.bytes(), envelope.text.bytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(text.bytes());
    }

    /// The id and what it is about; never the body.
    @Override
    public String toString() {
        return "envelope " + id + " \"" + topic + "\"";
    }
}
