package dev.pheromone.file.admission;

import dev.pheromone.Backpressure.Load;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.life.MailEvents;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/// Tells the event log what kept mail from its inbox, and when that was over.
public final class AdmissionEvents {

    private final Journal journal;
    private final Actor self;

    public AdmissionEvents(Journal journal, Actor self) {
        this.journal = journal;
        this.self = self;
    }

    /// An inbox came under backpressure. Fails if that can't be written down: then it is told
    /// later.
    void pressureEntered(Domain inbox, PressureMark.Held held) throws IOException {
        String action =
                switch (held.cause()) {
                    case DEPTH -> "refuse";
                    case AGE -> inbox.address() instanceof Address.User ? "drain" : "delay";
                };
        journal.write(
                Durability.DISK,
                pressure(inbox, held, held.load(), "entered", action, held.since()));
    }

    /// An inbox is no longer under backpressure.
    void pressureLeft(Domain inbox, PressureMark.Held held, Load load, Instant now)
            throws IOException {
        RseEvent event = pressure(inbox, held, load, "left", "leave", now);
        long lasted = Math.max(0, Duration.between(held.since(), now).toSeconds());
        journal.write(
                Durability.DISK,
                new RseEvent.Backpressure(
                        now, event.lane(), event.actor(), event.data().put("lasted_s", lasted)));
    }

    private RseEvent pressure(
            Domain inbox,
            PressureMark.Held held,
            Load load,
            String status,
            String action,
            Instant at) {
        RseEvent event =
                new RseEvent.Backpressure(
                        at,
                        Lane.OPS,
                        self,
                        inbox,
                        load.depth(),
                        load.oldestAge().toSeconds(),
                        action);
        return new RseEvent.Backpressure(
                at,
                event.lane(),
                event.actor(),
                event.data()
                        .put("status", status)
                        .put("cause", held.cause().toString())
                        .put("since", IsoTime.format(held.since())));
    }

    /// A sender was refused for its own doing.
    ///
    /// @param count how often since `since`, this time included
    void refused(
            Domain inbox, String sender, int count, Instant since, String reason, Instant now) {
        journal.tell(
                Durability.GROUPED,
                RseEvent.of(
                        now,
                        "sender_refused",
                        Lane.OPS,
                        self.name(),
                        Json.obj()
                                .put("sender", sender)
                                .put("inbox", inbox.name())
                                .put("count", count)
                                .put("since", IsoTime.format(since))
                                .put("reason", reason)));
    }

    /// Mail of a muted sender is kept aside.
    void parked(Header header, Domain inbox, String location, Mute mute, Instant now) {
        journal.tell(
                Durability.DISK,
                RseEvent.of(
                        now,
                        "rsm_envelope_park",
                        header.lane(),
                        self.name(),
                        parkData(header, inbox, location)
                                .put("until", IsoTime.format(mute.until()))));
    }

    /// Mail that was kept aside has come to its inbox.
    void unparked(Envelope envelope, Domain inbox, String location, Instant now) {
        journal.tell(
                Durability.DISK,
                MailEvents.emitted(envelope, inbox, location, now),
                RseEvent.of(
                        now,
                        "rsm_envelope_unpark",
                        envelope.lane(),
                        self.name(),
                        parkData(Header.of(envelope), inbox, location)));
    }

    private static Json.Obj parkData(Header header, Domain inbox, String location) {
        return Json.obj()
                .put("id", header.id().text())
                .put("from", header.from().name())
                .put("inbox", inbox.name())
                .put("path", location)
                .put(RseEvent.CONSENT, header.consent().toString());
    }

    /// A sender was muted, or no longer is.
    ///
    /// @param by whose word it was, and what that is worth
    public void muted(Mute mute, String type, String by, String proof, Instant now) {
        journal.tell(
                Durability.DISK,
                RseEvent.of(
                        now,
                        type,
                        Lane.GOVERNANCE,
                        self.name(),
                        Json.obj()
                                .put("sender", mute.actor().name())
                                .put("until", IsoTime.format(mute.until()))
                                .put("reason", mute.reason())
                                .put("by", by)
                                .put("proof", proof)));
    }
}
