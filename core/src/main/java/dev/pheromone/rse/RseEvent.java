package dev.pheromone.rse;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.guard.LockKind;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// One entry of the event log: something that happened in a hive.
///
/// Each record's name is the type on the wire: `QueenSelect` is `queen_select`. A record is its
/// `data`, checked for the fields without which the type means nothing; whatever else a foreign
/// writer put there is kept. An event of a known type that lacks those fields, and one of an
/// unknown type, is an `Other`.
public sealed interface RseEvent {

    /// In the data of an event: the consent of the mail that it speaks of.
    String CONSENT = "consent";

    Instant ts();

    /// The type on the wire.
    default String type() {
        return RseTypes.nameOf(getClass());
    }

    Lane lane();

    /// Who did it: text, because other writers name actors as they like.
    String actor();

    Json.Obj data();

    /// The event of that type: the record of its name if `data` has what it needs, else an `Other`.
    static RseEvent of(Instant ts, String type, Lane lane, String actor, Json.Obj data) {
        return RseTypes.event(ts, type, lane, actor, data);
    }

    /// What this event is told apart by: events with equal keys are one event, written again after
    /// a crash. Empty for types that may truly repeat.
    default Optional<RseKey> key() {
        return RseKey.of(this);
    }

    /// The id of what it is about, an envelope mostly: its `id`, or else its `ref`.
    default Optional<String> about() {
        return data().optionalText("id").or(() -> data().optionalText("ref"));
    }

    /// The event that this one corrects: history is never rewritten.
    default Optional<String> corrects() {
        return data().optionalText("corrects");
    }

    /// This event as a correction of the one that `ref` names.
    default RseEvent correcting(String ref) {
        return of(ts(), type(), lane(), actor(), data().put("corrects", ref));
    }

    /// How far the mail that it speaks of may go, if it says so in a way that can be read.
    default Optional<Consent> consent() {
        return RseData.constant(Consent.class, data(), CONSENT);
    }

    /// This event as one of mail that may go as far as `consent` says.
    default RseEvent withConsent(Consent consent) {
        return of(ts(), type(), lane(), actor(), data().put(CONSENT, consent.toString()));
    }

    /// A producer announces something to sense.
    record PheromoneDrop(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        private static final Ttl TTL_DEFAULT = Ttl.of(Duration.ofHours(1));

        public PheromoneDrop {
            RseTypes.check(PheromoneDrop.class, ts, data);
        }

        public PheromoneDrop(
                Instant ts,
                Lane lane,
                Actor actor,
                String topic,
                Priority priority,
                @Nullable String ref,
                @Nullable Ttl ttl,
                List<String> tags) {
            this(ts, lane, actor.name(), RseData.drop(topic, priority, ref, ttl, tags));
        }

        public String topic() {
            return data.text("topic");
        }

        /// The priority, `P2` if there is none that can be read.
        public Priority priority() {
            return RseData.priority(data).orElse(Priority.P2);
        }

        /// The time to live, if there is one that can be read.
        public Optional<Ttl> ttl() {
            return RseData.ttl(data);
        }

        /// The time to live; that of a drop that names none, or none that can be read, is an hour:
        /// signals are for now.
        public Ttl life() {
            return ttl().orElse(TTL_DEFAULT);
        }

        /// When nothing is left of it any more.
        public Instant end() {
            return ts.plus(life().duration());
        }

        public List<String> tags() {
            return RseData.texts(data, "tags");
        }
    }

    /// A consumer observed a signal.
    record PheromoneSense(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public PheromoneSense {
            RseTypes.check(PheromoneSense.class, ts, data);
        }

        public PheromoneSense(
                Instant ts, Lane lane, Actor actor, String ref, @Nullable String actorState) {
            this(ts, lane, actor.name(), RseData.sense(ref, actorState));
        }

        public String ref() {
            return data.text("ref");
        }
    }

    /// The life of an envelope, or of a pheromone, ended before it was taken.
    record PheromoneExpire(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public PheromoneExpire {
            RseTypes.check(PheromoneExpire.class, ts, data);
        }

        public PheromoneExpire(Instant ts, Lane lane, Actor actor, EnvelopeId id, Domain inbox) {
            this(ts, lane, actor.name(), RseData.copy(id.text(), inbox));
        }
    }

    /// An envelope was created and dispatched: one event for each copy.
    record RsmEnvelopeEmit(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public RsmEnvelopeEmit {
            RseTypes.check(RsmEnvelopeEmit.class, ts, data);
        }

        public RsmEnvelopeEmit(
                Instant ts,
                Lane lane,
                Actor actor,
                EnvelopeId id,
                List<String> to,
                Priority priority,
                Ttl ttl,
                String path,
                ContentHash hash,
                Domain inbox) {
            this(ts, lane, actor.name(), RseData.emit(id, to, priority, ttl, path, hash, inbox));
        }
    }

    /// An envelope was received to an inbox: written once, by its first claimer.
    record RsmEnvelopeRecv(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public RsmEnvelopeRecv {
            RseTypes.check(RsmEnvelopeRecv.class, ts, data);
        }

        public RsmEnvelopeRecv(
                Instant ts,
                Lane lane,
                Actor actor,
                EnvelopeId id,
                String from,
                Domain inbox,
                ContentHash hash,
                int attempt) {
            this(ts, lane, actor.name(), RseData.recv(id, from, inbox, hash, attempt));
        }
    }

    /// An envelope will never be delivered: forged, malformed, misaddressed, or failed too often.
    record RsmEnvelopeDead(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public RsmEnvelopeDead {
            RseTypes.check(RsmEnvelopeDead.class, ts, data);
        }

        /// `id` is text: what is dead may have had nothing but the name of its file.
        public RsmEnvelopeDead(
                Instant ts, Lane lane, Actor actor, String id, Domain inbox, String reason) {
            this(ts, lane, actor.name(), RseData.copy(id, inbox).put("reason", reason));
        }

        public String reason() {
            return data.text("reason");
        }
    }

    /// An envelope came with the id of an earlier one and other content.
    record RsmEnvelopeConflict(Instant ts, Lane lane, String actor, Json.Obj data)
            implements RseEvent {

        public RsmEnvelopeConflict {
            RseTypes.check(RsmEnvelopeConflict.class, ts, data);
        }

        public RsmEnvelopeConflict(
                Instant ts, Lane lane, Actor actor, EnvelopeId id, Domain inbox, String reason) {
            this(ts, lane, actor.name(), RseData.copy(id.text(), inbox).put("reason", reason));
        }
    }

    /// An envelope came that had come before, and was put aside.
    record RsmEnvelopeDuplicate(Instant ts, Lane lane, String actor, Json.Obj data)
            implements RseEvent {

        public RsmEnvelopeDuplicate {
            RseTypes.check(RsmEnvelopeDuplicate.class, ts, data);
        }

        public RsmEnvelopeDuplicate(
                Instant ts, Lane lane, Actor actor, EnvelopeId id, Domain inbox) {
            this(ts, lane, actor.name(), RseData.copy(id.text(), inbox));
        }
    }

    /// A claimed envelope went back to its inbox.
    record RsmEnvelopeReturn(Instant ts, Lane lane, String actor, Json.Obj data)
            implements RseEvent {

        public enum Reason {
            /// Given back on purpose; not counted as a failure.
            RELEASED,
            FAILED,
            /// The lease ended.
            LEASE
        }

        public RsmEnvelopeReturn {
            RseTypes.check(RsmEnvelopeReturn.class, ts, data);
        }

        public RsmEnvelopeReturn(
                Instant ts,
                Lane lane,
                Actor actor,
                EnvelopeId id,
                Domain inbox,
                int attempt,
                Reason reason) {
            this(ts, lane, actor.name(), RseData.returned(id, inbox, attempt, reason));
        }

        public Reason reason() {
            return RseData.constant(Reason.class, data, "reason").orElseThrow();
        }
    }

    /// A queen selected its next action.
    record QueenSelect(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public QueenSelect {
            RseTypes.check(QueenSelect.class, ts, data);
        }

        /// A selection from an inbox.
        public QueenSelect(
                Instant ts,
                Lane lane,
                Actor actor,
                EnvelopeId id,
                String rationale,
                Domain inbox,
                int attempt) {
            this(ts, lane, actor.name(), RseData.select(id, rationale, inbox, attempt));
        }

        /// A selection of a pheromone.
        public QueenSelect(Instant ts, Lane lane, Actor actor, String ref, String rationale) {
            this(ts, lane, actor.name(), RseData.select(ref, rationale));
        }
    }

    /// A scoped worker was created.
    record WorkerSpawn(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public WorkerSpawn {
            RseTypes.check(WorkerSpawn.class, ts, data);
        }

        public WorkerSpawn(
                Instant ts,
                Lane lane,
                Actor actor,
                String name,
                @Nullable String scope,
                Ttl ttl,
                String parent) {
            this(ts, lane, actor.name(), RseData.spawn(name, scope, ttl, parent));
        }
    }

    /// Work was acknowledged or done.
    record WorkerAck(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public enum Status {
            ACCEPTED,
            DONE,
            ERROR
        }

        public WorkerAck {
            RseTypes.check(WorkerAck.class, ts, data);
        }

        public WorkerAck(
                Instant ts,
                Lane lane,
                Actor actor,
                EnvelopeId ref,
                Status status,
                @Nullable String notes,
                Domain inbox,
                int attempt) {
            this(ts, lane, actor.name(), RseData.ack(ref, status, notes, inbox, attempt));
        }

        public String ref() {
            return data.text("ref");
        }

        public Status status() {
            return RseData.constant(Status.class, data, "status").orElseThrow();
        }
    }

    /// A question was asked.
    record QuestionAsked(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public QuestionAsked {
            RseTypes.check(QuestionAsked.class, ts, data);
        }

        /// @param of the addresses of those who are asked
        /// @param endsAt from when on no answer counts
        public QuestionAsked(
                Instant ts,
                Lane lane,
                Actor actor,
                EnvelopeId id,
                List<String> of,
                Instant endsAt) {
            this(ts, lane, actor.name(), RseData.asked(id, of, endsAt));
        }
    }

    /// A question got the answer that counts, by this actor.
    record QuestionAnswered(Instant ts, Lane lane, String actor, Json.Obj data)
            implements RseEvent {

        public QuestionAnswered {
            RseTypes.check(QuestionAnswered.class, ts, data);
        }

        /// @param id of the question
        /// @param answerId of the mail that brought the answer
        /// @param answer one of the choices; null for a text of its sender's own
        /// @param proof how it is proven who answered
        /// @param at when the answer was stored
        public QuestionAnswered(
                Instant ts,
                Lane lane,
                Actor actor,
                EnvelopeId id,
                EnvelopeId answerId,
                @Nullable String answer,
                String proof,
                Instant at) {
            this(ts, lane, actor.name(), RseData.answered(id, answerId, answer, proof, at));
        }
    }

    /// Nobody answered a question in time, and its default holds.
    record QuestionDefaulted(Instant ts, Lane lane, String actor, Json.Obj data)
            implements RseEvent {

        public QuestionDefaulted {
            RseTypes.check(QuestionDefaulted.class, ts, data);
        }

        /// @param at when the time for an answer was over
        public QuestionDefaulted(
                Instant ts, Lane lane, Actor actor, EnvelopeId id, String answer, Instant at) {
            this(ts, lane, actor.name(), RseData.defaulted(id, answer, at));
        }
    }

    /// A queue or its rate passed a limit, or came back below it.
    record Backpressure(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public Backpressure {
            RseTypes.check(Backpressure.class, ts, data);
        }

        public Backpressure(
                Instant ts,
                Lane lane,
                Actor actor,
                Domain inbox,
                int inboxDepth,
                long oldestAgeS,
                String action) {
            this(
                    ts,
                    lane,
                    actor.name(),
                    RseData.backpressure(inbox, inboxDepth, oldestAgeS, action));
        }

        public String action() {
            return data.text("action");
        }

        /// Whether it came back below its limits; else it passed one.
        public boolean isOver() {
            return action().equals("leave");
        }
    }

    /// A lock was met and honoured.
    record PolicyGuard(Instant ts, Lane lane, String actor, Json.Obj data) implements RseEvent {

        public enum Mode {
            /// What was to be written waits in the embargo.
            ADVISORY,
            /// Nothing was done.
            BLOCKED
        }

        public PolicyGuard {
            RseTypes.check(PolicyGuard.class, ts, data);
        }

        public PolicyGuard(
                Instant ts,
                Lane lane,
                Actor actor,
                LockKind lock,
                String path,
                Mode mode,
                String source) {
            this(ts, lane, actor.name(), RseData.guard(lock, path, mode, source));
        }
    }

    /// An event of the open set: of a type that this version does not know, or without the fields
    /// its type needs.
    record Other(Instant ts, String type, Lane lane, String actor, Json.Obj data)
            implements RseEvent {

        public Other {
            RseTypes.checkOther(type, ts);
        }
    }
}
