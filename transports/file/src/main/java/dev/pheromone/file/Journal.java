package dev.pheromone.file;

import dev.pheromone.Actor;
import dev.pheromone.Claim;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Header;
import dev.pheromone.Json;
import dev.pheromone.Lane;
import dev.pheromone.State;
import dev.pheromone.Ttl;
import dev.pheromone.disk.Trouble;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.rse.RseEvent.WorkerAck.Status;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseLog.Durability;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Tells the event log what happened to envelopes, after it has happened.
///
/// A log that can't be written changes nothing about what was done: the trouble is kept for whoever
/// asks, and recovery adds the missing events from the files themselves.
final class Journal {

    /// Troubles beyond these are alike.
    private static final int PROBLEMS_MAX = 16;

    private final RseLog log;
    private final Actor self;
    private final List<String> problems = new ArrayList<>();

    Journal(RseLog log, Actor self) {
        this.log = log;
        this.self = self;
    }

    void dropped(Envelope envelope, Instant now) {
        tell(Durability.GROUPED, dropEvent(envelope, now));
    }

    static RseEvent dropEvent(Envelope envelope, Instant now) {
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

    void emitted(Envelope envelope, Domain inbox, String location, Instant now) {
        tell(Durability.DISK, emitEvent(envelope, inbox, location, now));
    }

    static RseEvent emitEvent(Envelope envelope, Domain inbox, String location, Instant now) {
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

    /// What waited in the mirror has gone its way.
    static RseEvent releaseEvent(
            Envelope envelope, Actor by, String from, String archived, Instant now) {
        return RseEvent.of(
                        now,
                        "embargo_release",
                        envelope.lane(),
                        by.name(),
                        Json.obj()
                                .put("id", envelope.id().text())
                                .put("from", from)
                                .put("archived", archived)
                                .put("hash", envelope.hash().toString()))
                .withConsent(envelope.consent());
    }

    void claimed(Claim claim, boolean first) {
        tell(Durability.GROUPED, claimEvents(claim, first).toArray(RseEvent[]::new));
    }

    List<RseEvent> claimEvents(Claim claim, boolean first) {
        Envelope envelope = claim.envelope();
        Instant at = claim.claimedAt();
        List<RseEvent> events = new ArrayList<>();
        events.add(
                new RseEvent.PheromoneSense(
                        at, envelope.lane(), claim.worker(), envelope.id().text(), null));
        if (first) {
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
        events.add(spawnEvent(claim));
        return events.stream().map(event -> event.withConsent(envelope.consent())).toList();
    }

    private RseEvent spawnEvent(Claim claim) {
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

    /// A claim ended for good.
    void finished(Domain inbox, ClaimName claim, ClaimedFiles.Finish finish, Instant now) {
        Header header = finish.header();
        tell(
                Durability.DISK,
                finish.state() == State.DONE
                        ? ackEvent(
                                inbox, claim, finish.by(), header, Status.DONE, finish.note(), now)
                        : endEvent(
                                inbox,
                                claim.id().text(),
                                header,
                                finish.state(),
                                finish.note(),
                                now));
    }

    /// @param by who says so, which need not be the worker whose claim it was: `worker_spawn` names
    ///   that one
    static RseEvent ackEvent(
            Domain inbox,
            ClaimName claim,
            Actor by,
            @Nullable Header header,
            Status status,
            String note,
            Instant now) {
        return of(
                header,
                new RseEvent.WorkerAck(
                        now,
                        laneOf(header),
                        by,
                        claim.id(),
                        status,
                        note.isEmpty() ? null : note,
                        inbox,
                        claim.attempt()));
    }

    /// Whoever holds a claim says that the work is taken on.
    void accepted(
            Domain inbox,
            ClaimName claim,
            Actor by,
            @Nullable Header header,
            String note,
            Instant now) {
        tell(Durability.DISK, ackEvent(inbox, claim, by, header, Status.ACCEPTED, note, now));
    }

    /// A claim came back, or ended while it did.
    void returned(Domain inbox, ClaimName claim, ClaimedFiles.Return result, Instant now) {
        Header header = result.header();
        List<RseEvent> events = new ArrayList<>();
        if (result.reason() == Reason.FAILED) {
            events.add(
                    ackEvent(inbox, claim, result.by(), header, Status.ERROR, result.note(), now));
        }
        switch (result.state()) {
            case WAITING -> {
                events.add(
                        of(
                                header,
                                new RseEvent.RsmEnvelopeReturn(
                                        now,
                                        laneOf(header),
                                        self,
                                        claim.id(),
                                        inbox,
                                        claim.attempt(),
                                        result.reason())));
                if (result.reason() != Reason.RELEASED && header != null) {
                    events.add(retryDrop(header, claim, result, now));
                }
            }
            case DONE ->
                    events.add(
                            ackEvent(
                                    inbox,
                                    claim,
                                    result.by(),
                                    header,
                                    Status.DONE,
                                    result.note(),
                                    now));
            case ACTIVE -> {}
            case DEAD, EXPIRED, DUPLICATE, CONFLICT ->
                    events.add(
                            endEvent(
                                    inbox,
                                    claim.id().text(),
                                    header,
                                    result.state(),
                                    result.note(),
                                    now));
        }
        tell(Durability.DISK, events.toArray(RseEvent[]::new));
    }

    /// Flow 4 of the specification: the signal again, weaker, with what is known of the failure.
    private RseEvent retryDrop(
            Header header, ClaimName claim, ClaimedFiles.Return result, Instant now) {
        Json.Obj data =
                new RseEvent.PheromoneDrop(
                                now,
                                header.lane(),
                                self,
                                header.topic(),
                                header.priority().lowered(claim.attempt()),
                                header.id().text(),
                                header.ttl(),
                                List.of())
                        .data()
                        .put("attempt", claim.attempt())
                        .put("retry_in_s", result.pause().toSeconds());
        return RseEvent.of(
                        now,
                        "pheromone_drop",
                        header.lane(),
                        self.name(),
                        result.note().isEmpty() ? data : data.put("context", result.note()))
                .withConsent(header.consent());
    }

    /// A file went to the archive without anybody's work on it.
    void ended(
            Domain inbox,
            String name,
            @Nullable Header header,
            State state,
            String reason,
            Instant now) {
        tell(Durability.DISK, endEvent(inbox, name, header, state, reason, now));
    }

    RseEvent endEvent(
            Domain inbox,
            String name,
            @Nullable Header header,
            State state,
            String reason,
            Instant now) {
        Lane lane = laneOf(header);
        RseEvent event =
                switch (state) {
                    case EXPIRED ->
                            new RseEvent.PheromoneExpire(
                                    now, lane, self, EnvelopeId.parse(name), inbox);
                    case CONFLICT ->
                            new RseEvent.RsmEnvelopeConflict(
                                    now, lane, self, EnvelopeId.parse(name), inbox, reason);
                    case DUPLICATE ->
                            new RseEvent.RsmEnvelopeDuplicate(
                                    now, lane, self, EnvelopeId.parse(name), inbox);
                    default -> new RseEvent.RsmEnvelopeDead(now, lane, self, name, inbox, reason);
                };
        return of(header, event);
    }

    /// The event as one of that mail; what can't be read has no consent, so that its events go
    /// nowhere with what they say.
    private static RseEvent of(@Nullable Header header, RseEvent event) {
        return header == null ? event : event.withConsent(header.consent());
    }

    /// What can't be read has no lane; its inbox is a matter of operations.
    private static Lane laneOf(@Nullable Header header) {
        return header == null ? Lane.OPS : header.lane();
    }

    void tell(Durability durability, RseEvent... events) {
        try {
            write(durability, events);
        } catch (IOException e) {
            trouble("event log", e);
        }
    }

    /// As [#tell], for who tells later what can't be written now.
    void write(Durability durability, RseEvent... events) throws IOException {
        log.append(List.of(events), durability);
    }

    /// Keeps what went wrong with something that is not worth stopping for.
    void trouble(String what, IOException e) {
        problem(what + ": " + Trouble.reason(e));
    }

    /// Keeps what people should know of.
    void problem(String problem) {
        synchronized (problems) {
            if (problems.size() < PROBLEMS_MAX && !problems.contains(problem)) {
                problems.add(problem);
            }
        }
    }

    List<String> problems() {
        synchronized (problems) {
            return List.copyOf(problems);
        }
    }
}
