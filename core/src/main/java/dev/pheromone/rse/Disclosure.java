package dev.pheromone.rse;

import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.text.Json;

import java.util.Optional;
import java.util.Set;

/// What of the event log may leave by a door of some reach: an event goes no further than the mail
/// it speaks of.
///
/// An event of mail says that mail's consent in its data. One that does not, from an older or
/// another writer, could be about private mail: it goes without any text that somebody wrote, and
/// not at all to the public. What speaks of no mail is the team's.
///
/// Public mail was looked through before it became so. What others wrote of it in the log was not:
/// notes, reasons, the last words of a command that failed. The public gets the rest.
///
/// @param reach how far what is told gets
public record Disclosure(Reach reach) {

    /// Types of events that are about mail whatever their data has.
    private static final Set<String> OF_MAIL =
            Set.of("worker_ack", "worker_spawn", "pheromone_expire", "embargo_release");

    private static final String OF_MAIL_PREFIX = "rsm_envelope_";
    private static final String OF_QUESTION_PREFIX = "question_";

    /// Texts in an event that are the mail's own, or that we choose: all that the public gets.
    private static final Set<String> FOR_THE_PUBLIC =
            Set.of(
                    "id",
                    "ref",
                    "original",
                    "from",
                    "to",
                    "inbox",
                    "topic",
                    "tags",
                    "scope",
                    "priority",
                    "ttl",
                    "hash",
                    "status",
                    "basis",
                    "name",
                    "parent",
                    RseEvent.CONSENT);

    /// What may be told of `event`; empty if nothing.
    public Optional<RseEvent> of(RseEvent event) {
        if (reach == Reach.LOCAL) {
            return Optional.of(event);
        }
        Optional<Consent> consent = event.consent();
        if (consent.isEmpty() && speaksOfMail(event)) {
            return Consent.TEAM.allows(reach) ? Optional.of(withoutTexts(event)) : Optional.empty();
        }
        if (!consent.orElse(Consent.TEAM).allows(reach)) {
            return Optional.empty();
        }
        return Optional.of(reach == Reach.PUBLIC ? withoutNotes(event) : event);
    }

    private static RseEvent withoutNotes(RseEvent event) {
        Json.Obj shown = event.data();
        for (String name : event.data().names()) {
            Json value = shown.get(name).orElseThrow();
            boolean isText = !(value instanceof Json.Num || value instanceof Json.Bool);
            if (isText && !FOR_THE_PUBLIC.contains(name)) {
                shown = shown.without(name);
            }
        }
        return RseEvent.of(event.ts(), event.type(), event.lane(), event.actor(), shown);
    }

    private static boolean speaksOfMail(RseEvent event) {
        Json.Obj data = event.data();
        return OF_MAIL.contains(event.type())
                || event.type().startsWith(OF_MAIL_PREFIX)
                || event.type().startsWith(OF_QUESTION_PREFIX)
                // One that can't be read may be any.
                || data.has(RseEvent.CONSENT)
                || isMail(data, "id")
                || isMail(data, "ref")
                || isMail(data, "original");
    }

    private static boolean isMail(Json.Obj data, String name) {
        return data.optionalText(name).filter(EnvelopeId::isId).isPresent();
    }

    /// The event with what can't have been written by a person or an agent: a lane that is not the
    /// protocol's is a text, too.
    private static RseEvent withoutTexts(RseEvent event) {
        Json.Obj data = event.data();
        Json.Obj bare = Json.obj();
        for (String name : new String[] {"id", "ref"}) {
            bare =
                    bare.putIfPresent(
                            name, data.optionalText(name).filter(EnvelopeId::isId).orElse(null));
        }
        bare =
                bare.putIfPresent(
                        "inbox", data.optionalText("inbox").filter(Domain::isName).orElse(null));
        if (data.optionalNumber("attempt").isPresent()) {
            bare = bare.put("attempt", data.optionalNumber("attempt").getAsLong());
        }
        bare =
                bare.putIfPresent(
                        "status",
                        RseData.constant(RseEvent.WorkerAck.Status.class, data, "status")
                                .map(RseData::wire)
                                .orElse(null));
        bare = bare.putIfPresent("priority", RseData.priority(data).map(Enum::name).orElse(null));
        Lane lane = event.lane().isKnown() ? event.lane() : RseLineReader.NO_LANE;
        return RseEvent.of(event.ts(), event.type(), lane, event.actor(), bare);
    }
}
