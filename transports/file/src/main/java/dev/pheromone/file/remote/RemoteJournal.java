package dev.pheromone.file.remote;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.life.MailEvents;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.rse.RseEvent.WorkerAck.Status;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// Tells this hive's log what its people and agents do by way of another transport. Each event says
/// so in `via`: it is about no file of this hive.
public final class RemoteJournal {

    private static final String VIA = "via";

    private final Journal journal;
    private final Actor self;
    private final InstantSource clock;
    private final String transport;

    RemoteJournal(Copies copies, InstantSource clock, String transport) {
        this.journal = copies.journal();
        this.self = copies.self();
        this.clock = clock;
        this.transport = transport;
    }

    /// Mail of this hive was sent; what has not arrived is left out.
    public void sent(Envelope envelope, Receipt receipt) {
        Instant now = clock.instant();
        List<RseEvent> events = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            switch (copy.result()) {
                case SendResult.Delivered(var location) ->
                        events.add(MailEvents.emitted(envelope, copy.inbox(), location, now));
                case SendResult.Unconfirmed(var location, var _) ->
                        events.add(MailEvents.emitted(envelope, copy.inbox(), location, now));
                default -> {}
            }
        }
        if (!events.isEmpty()) {
            events.addFirst(MailEvents.dropped(envelope, now));
            tell(events);
        }
    }

    /// Mail of this hive waits in its outbox. The mail itself is on the disk, and proves that.
    void spooled(Envelope envelope, String location, String reason, Instant now) {
        tell(
                Durability.PROVEN,
                List.of(
                        MailEvents.dropped(envelope, now),
                        spoolEvent(envelope, location, reason, transport, now)));
    }

    /// The event of mail that waits in the outbox of `transport`.
    public static RseEvent spoolEvent(
            Envelope envelope, String location, String reason, String transport, Instant now) {
        List<String> to = new ArrayList<>();
        envelope.to().forEach(address -> to.add(address.toString()));
        return RseEvent.of(
                        now,
                        "rsm_envelope_spool",
                        envelope.lane(),
                        envelope.from().name(),
                        Json.obj()
                                .put("id", envelope.id().text())
                                .putTexts("to", to)
                                .put("path", location)
                                .put("hash", envelope.hash().toString())
                                .put("reason", reason)
                                .put(VIA, transport))
                .withConsent(envelope.consent());
    }

    /// Mail that waited in the outbox ended there.
    void ended(Envelope envelope, Domain inbox, State state, String reason, Instant now) {
        tell(
                List.of(
                        journal.events()
                                .ended(
                                        new MailEvents.Copy(
                                                inbox, envelope.id(), Header.of(envelope)),
                                        state,
                                        reason,
                                        now)));
    }

    /// Somebody looked at mail there.
    public void sensed(Envelope envelope, Actor by, @Nullable String state) {
        tell(
                List.of(
                        new RseEvent.PheromoneSense(
                                        clock.instant(),
                                        envelope.lane(),
                                        by,
                                        envelope.id().text(),
                                        state)
                                .withConsent(envelope.consent())));
    }

    /// Tells that `claim` was made on the other transport.
    public void claimed(Claim claim) {
        tell(journal.events().claimed(claim, claim.attempt() == 1));
    }

    /// What somebody said of a claim, and what came of it.
    public void settled(About about, Outcome outcome, Settlement settlement) {
        if (!(settlement instanceof Settlement.Settled(var state, var _))) {
            return;
        }
        List<RseEvent> events = new ArrayList<>();
        switch (outcome) {
            case Outcome.Done(var note) -> events.add(ack(about, Status.DONE, note));
            case Outcome.Failed(var note) -> {
                events.add(ack(about, Status.ERROR, note));
                if (state == State.WAITING) {
                    events.add(returned(about, Reason.FAILED));
                }
            }
            case Outcome.Released _ -> events.add(returned(about, Reason.RELEASED));
        }
        tell(events);
    }

    /// The lease of a claim was renewed by somebody who said so.
    public void accepted(About about, String note) {
        tell(List.of(ack(about, Status.ACCEPTED, note)));
    }

    /// What of a claim its events name.
    public record About(EnvelopeId id, Lane lane, Consent consent, Domain inbox, int attempt) {

        /// What a claim says of its envelope.
        public static About of(Claim claim) {
            return new About(
                    claim.envelope().id(),
                    claim.envelope().lane(),
                    claim.envelope().consent(),
                    claim.inbox(),
                    claim.attempt());
        }

        /// What was kept of a claim says of its envelope.
        public static About of(HeldClaims.Held held) {
            return new About(
                    held.envelope().id(),
                    held.envelope().lane(),
                    held.envelope().consent(),
                    held.inbox(),
                    held.attempt());
        }
    }

    private RseEvent ack(About about, Status status, String note) {
        @Nullable String notes = note.isEmpty() ? null : note;
        return new RseEvent.WorkerAck(
                        clock.instant(),
                        about.lane(),
                        self,
                        about.id(),
                        status,
                        notes,
                        about.inbox(),
                        about.attempt())
                .withConsent(about.consent());
    }

    private RseEvent returned(About about, Reason reason) {
        return new RseEvent.RsmEnvelopeReturn(
                        clock.instant(),
                        about.lane(),
                        self,
                        about.id(),
                        about.inbox(),
                        about.attempt(),
                        reason)
                .withConsent(about.consent());
    }

    private void tell(List<RseEvent> events) {
        tell(Durability.DISK, events);
    }

    private void tell(Durability durability, List<RseEvent> events) {
        List<RseEvent> marked = new ArrayList<>();
        for (RseEvent event : events) {
            marked.add(
                    RseEvent.of(
                            event.ts(),
                            event.type(),
                            event.lane(),
                            event.actor(),
                            event.data().put(VIA, transport)));
        }
        journal.tell(durability, marked.toArray(RseEvent[]::new));
    }
}
