package dev.pheromone.file.copy;

import dev.pheromone.Claim;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Header;
import dev.pheromone.life.MailEvents;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Tells the event log what happened to envelopes, after it has happened.
///
/// A log that can't be written changes nothing about what was done: the trouble is kept for whoever
/// asks, and recovery adds the missing events from the files themselves.
public final class Journal {

    /// Troubles beyond these are alike.
    private static final int PROBLEMS_MAX = 16;

    private final RseLog log;
    private final MailEvents events;
    private final List<String> problems = new ArrayList<>();

    public Journal(RseLog log, Actor self) {
        this.log = log;
        this.events = new MailEvents(self);
    }

    /// The events of steps that are taken here.
    public MailEvents events() {
        return events;
    }

    public void dropped(Envelope envelope, Instant now) {
        tell(Durability.PROVEN, MailEvents.dropped(envelope, now));
    }

    public void emitted(Envelope envelope, Domain inbox, String location, Instant now) {
        tell(Durability.PROVEN, MailEvents.emitted(envelope, inbox, location, now));
    }

    /// What waited in the embargo has gone its way.
    public static RseEvent releaseEvent(
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

    /// Somebody got a claim.
    public void claimed(Claim claim, boolean isFirst) {
        tell(Durability.PROVEN, events.claimed(claim, isFirst).toArray(RseEvent[]::new));
    }

    /// Any other step was taken in the life of a claimed copy.
    public void took(Domain inbox, ClaimName claim, ClaimedFiles.Result result, Instant now) {
        MailEvents.Copy copy = new MailEvents.Copy(inbox, claim.id(), result.header());
        tell(
                // The archive tells of what is done; no file tells of the rest as well.
                result.state() == State.DONE ? Durability.PROVEN : Durability.DISK,
                events.of(result.step(), copy, result.by(), now).toArray(RseEvent[]::new));
    }

    /// A file went to the archive without anybody's work on it.
    public void ended(
            Domain inbox,
            String name,
            @Nullable Header header,
            State state,
            String reason,
            Instant now) {
        MailEvents.Copy copy = new MailEvents.Copy(inbox, name, header);
        tell(Durability.DISK, events.ended(copy, state, reason, now));
    }

    public void tell(Durability durability, RseEvent... events) {
        try {
            write(durability, events);
        } catch (IOException e) {
            trouble("event log", e);
        }
    }

    /// As [#tell], for who tells later what can't be written now.
    public void write(Durability durability, RseEvent... events) throws IOException {
        log.append(List.of(events), durability);
    }

    /// Keeps what went wrong with something that is not worth stopping for.
    public void trouble(String what, IOException e) {
        problem(what + ": " + Trouble.reason(e));
    }

    /// Keeps what people should know of.
    public void problem(String problem) {
        synchronized (problems) {
            if (problems.size() < PROBLEMS_MAX && !problems.contains(problem)) {
                problems.add(problem);
            }
        }
    }

    public List<String> problems() {
        synchronized (problems) {
            return List.copyOf(problems);
        }
    }
}
