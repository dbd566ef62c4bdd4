package dev.pheromone.life;

import dev.pheromone.Claim;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.life.Step.Closing;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.rse.RseEvent.WorkerAck.Status;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The events that each step in the life of a copy leaves, for whoever keeps a log.
///
/// @param self who takes the steps
public record MailEvents(Actor self) {

    /// The copy that events are about.
    ///
    /// @param name its id, or what else it is called if it has none that can be read
    /// @param header null if it can't be read: such a copy has no consent, so that its events go
    ///   nowhere with what they say
    public record Copy(Domain inbox, String name, @Nullable Header header) {

        /// A copy of a known id.
        public Copy(Domain inbox, EnvelopeId id, @Nullable Header header) {
            this(inbox, id.text(), header);
        }

        private EnvelopeId id() {
            return EnvelopeId.parse(name);
        }

        /// What can't be read has no lane; its inbox is a matter of operations.
        private Lane lane() {
            return header == null ? Lane.OPS : header.lane();
        }

        private RseEvent of(RseEvent event) {
            return header == null ? event : event.withConsent(header.consent());
        }
    }

    /// The signal that announces mail.
    public static RseEvent dropped(Envelope envelope, Instant now) {
        return new RseEvent.PheromoneDrop(
                        now,
                        envelope.lane(),
                        envelope.from(),
                        envelope.topic(),
                        envelope.priority(),
                        envelope.id().text(),
                        envelope.ttl(),
                        envelope.tags())
                .withConsent(envelope.consent());
    }

    /// A copy has come into an inbox.
    public static RseEvent emitted(Envelope envelope, Domain inbox, String location, Instant now) {
        return new RseEvent.RsmEnvelopeEmit(
                        now,
                        envelope.lane(),
                        envelope.from(),
                        envelope.id(),
                        envelope.to().stream().map(Object::toString).toList(),
                        envelope.priority(),
                        envelope.ttl(),
                        location,
                        envelope.hash(),
                        inbox)
                .withConsent(envelope.consent());
    }

    /// Somebody got a claim.
    ///
    /// @param isFirst whether nobody had one of this copy before
    public List<RseEvent> claimed(Claim claim, boolean isFirst) {
        Envelope envelope = claim.envelope();
        Instant at = claim.claimedAt();
        List<RseEvent> events = new ArrayList<>();
        events.add(
                new RseEvent.PheromoneSense(
                        at, envelope.lane(), claim.worker(), envelope.id().text(), null));
        if (isFirst) {
            events.add(
                    new RseEvent.RsmEnvelopeRecv(
                            at,
                            envelope.lane(),
                            claim.worker(),
                            envelope.id(),
                            envelope.from().name(),
                            claim.inbox(),
                            envelope.hash(),
                            claim.attempt()));
        }
        events.add(
                new RseEvent.QueenSelect(
                        at,
                        envelope.lane(),
                        claim.worker(),
                        envelope.id(),
                        claim.rationale(),
                        claim.inbox(),
                        claim.attempt()));
        events.add(spawned(claim));
        return events.stream().map(event -> event.withConsent(envelope.consent())).toList();
    }

    private RseEvent spawned(Claim claim) {
        Envelope envelope = claim.envelope();
        Json.Obj data =
                new RseEvent.WorkerSpawn(
                                claim.claimedAt(),
                                envelope.lane(),
                                claim.worker(),
                                claim.worker().name(),
                                envelope.scope().orElse(null),
                                Ttl.of(Duration.between(claim.claimedAt(), claim.leaseEndsAt())),
                                self.name())
                        .data();
        return RseEvent.of(
                claim.claimedAt(),
                "worker_spawn",
                envelope.lane(),
                claim.worker().name(),
                // What it was made for, so that a trace of the envelope shows it.
                data.put("ref", envelope.id().text()));
    }

    /// What `step` leaves; of a claim only [#claimed] tells, which knows why this copy was chosen.
    public List<RseEvent> of(Step step, Copy copy, Instant now) {
        return of(step, copy, self, now);
    }

    /// As above, of a step that somebody had taken who died then.
    ///
    /// @param by whose word ended the claim
    public List<RseEvent> of(Step step, Copy copy, Actor by, Instant now) {
        return switch (step) {
            case Step.Claimed _, Step.Renewed _ -> List.of();
            case Step.Accepted(var _, var attempt, var note) ->
                    List.of(acknowledged(copy, attempt, by, Status.ACCEPTED, note, now));
            case Step.Ended(var life) -> List.of(ended(copy, life.state(), life.note(), now));
            case Step.Closed closed -> closed(closed, copy, by, now);
        };
    }

    private List<RseEvent> closed(Step.Closed step, Copy copy, Actor by, Instant now) {
        Life life = step.life();
        List<RseEvent> events = new ArrayList<>();
        if (step.closing() == Closing.FAILED) {
            events.add(acknowledged(copy, step.attempt(), by, Status.ERROR, life.note(), now));
        }
        Reason reason = step.closing().reason();
        if (life.state() == State.DONE) {
            events.add(acknowledged(copy, step.attempt(), by, Status.DONE, life.note(), now));
        } else if (life.state().isFinal()) {
            events.add(ended(copy, life.state(), life.note(), now));
        } else if (reason != null) {
            events.add(
                    copy.of(
                            new RseEvent.RsmEnvelopeReturn(
                                    now,
                                    copy.lane(),
                                    self,
                                    copy.id(),
                                    copy.inbox(),
                                    step.attempt(),
                                    reason)));
            Header header = copy.header();
            if (step.closing().isFailure() && header != null) {
                events.add(retried(header, step, now));
            }
        }
        return events;
    }

    /// Somebody says how work goes.
    ///
    /// @param by who says so, which need not be the worker whose claim it was: `worker_spawn` names
    ///   that worker
    public static RseEvent acknowledged(
            Copy copy, int attempt, Actor by, Status status, String note, Instant now) {
        return copy.of(
                new RseEvent.WorkerAck(
                        now,
                        copy.lane(),
                        by,
                        copy.id(),
                        status,
                        note.isEmpty() ? null : note,
                        copy.inbox(),
                        attempt));
    }

    /// Flow 4 of the specification: the signal again, weaker, with what is known of the failure.
    private RseEvent retried(Header header, Step.Closed step, Instant now) {
        String note = step.life().note();
        Json.Obj data =
                new RseEvent.PheromoneDrop(
                                now,
                                header.lane(),
                                self,
                                header.topic(),
                                header.priority().lowered(step.attempt()),
                                header.id().text(),
                                header.ttl(),
                                List.of())
                        .data()
                        .put("attempt", step.attempt())
                        .put("retry_in_s", step.pause().toSeconds());
        return RseEvent.of(
                        now,
                        "pheromone_drop",
                        header.lane(),
                        self.name(),
                        note.isEmpty() ? data : data.put("context", note))
                .withConsent(header.consent());
    }

    /// A copy ended otherwise than done.
    public RseEvent ended(Copy copy, State state, String reason, Instant now) {
        Lane lane = copy.lane();
        Domain inbox = copy.inbox();
        return copy.of(
                switch (state) {
                    case EXPIRED -> new RseEvent.PheromoneExpire(now, lane, self, copy.id(), inbox);
                    case CONFLICT ->
                            new RseEvent.RsmEnvelopeConflict(
                                    now, lane, self, copy.id(), inbox, reason);
                    case DUPLICATE ->
                            new RseEvent.RsmEnvelopeDuplicate(now, lane, self, copy.id(), inbox);
                    case DEAD ->
                            new RseEvent.RsmEnvelopeDead(
                                    now, lane, self, copy.name(), inbox, reason);
                    case WAITING, ACTIVE, DONE ->
                            throw new IllegalArgumentException(
                                    "event: found state " + state + ", expected one that ended");
                });
    }
}
