// Events of the log in words.

import {line, typed} from "./text.js";

const at = (data) => data.inbox ? " in " + typed(data.inbox) : "";
const why = (data) => {
    const said = data.reason ?? data.notes ?? data.context ?? data.why;
    return said ? ": " + line(said, 160) : "";
};

const WORDS = {
    pheromone_drop: (data) => data.ref ? `signals “${line(data.topic, 120)}”` : `leaves the signal “${line(data.topic, 120)}”`,
    pheromone_sense: (data) => data.ref ? `looks at mail` : "senses what is there",
    pheromone_expire: (data) => `mail${at(data)} ran out of time`,
    rsm_envelope_emit: (data) => `sends mail to ${line([].concat(data.to ?? data.inbox ?? []).map(typed).join(", "), 120)}`,
    rsm_envelope_recv: (data) => `receives mail from ${line(data.from, 60)}`,
    rsm_envelope_return: (data) => `mail goes back${at(data)}${why(data)}`,
    rsm_envelope_dead: (data) => `mail${at(data)} is dead${why(data)}`,
    rsm_envelope_duplicate: (data) => `mail${at(data)} came twice, and counts once`,
    rsm_envelope_conflict: (data) => `mail${at(data)} conflicts with another of its id`,
    rsm_envelope_park: (data) => `mail is kept aside${why(data)}`,
    rsm_envelope_unpark: (data) => `mail is let through`,
    rsm_envelope_spool: (data) => `mail waits in the outbox`,
    queen_select: (data) => `takes mail${at(data)}`,
    worker_spawn: (data) => `begins work on mail`,
    worker_ack: (data) => `says “${line(data.status, 30)}” of mail${why(data)}`,
    status_update: (data) => `reports${why(data) || " its state"}`,
    policy_guard: (data) => `was stopped by a lock${data.path ? " at " + line(data.path, 120) : ""}${why(data)}`,
    policy_override: (data) => `used an override${data.path ? " at " + line(data.path, 120) : ""}${why(data)}`,
    policy_breach: (data) => `changed what is locked${data.path ? ": " + line(data.path, 120) : ""}`,
    person_asserted: (data) => `confirms by passkey: ${line(data.kind, 30)} ${line(data.target, 120)}`,
    lock_set: (data) => `locks ${line(data.kind, 30)} ${line(data.pattern ?? "", 120)}${why(data)}`,
    lock_lifted: (data) => `lifts a lock ${line(data.kind ?? "", 30)} ${line(data.pattern ?? "", 120)}`,
    override_given: (data) => `permits a change of ${line(data.target, 120)}${why(data)}`,
    embargo_release: (data) => `releases mail from the embargo`,
    mute_set: (data) => `mutes ${line(data.sender, 60)}${why(data)}`,
    mute_lifted: (data) => `lets ${line(data.sender, 60)} be heard again`,
    sender_refused: (data) => `was refused${at(data)}${why(data)}`,
    consent_refused: (data) => `mail goes no further than its consent`,
    question_asked: (data) => `asks ${line([].concat(data.to ?? data.of ?? []).map(typed).join(", "), 80)}`,
    question_answered: (data) => `answers a question${data.answer ? ": “" + line(data.answer, 80) + "”" : ""}`,
    question_defaulted: (data) => "nobody answered a question: its default holds",
    mail_announced: (data) => `was told that mail waits`,
    mail_handed_over: (data) => `was handed mail`,
    mail_seen: (data) => `has mail before its model`,
    mail_redacted: (data) => `made a public copy of mail`,
    reservation_set: (data) => `reserves ${line([].concat(data.paths ?? data.path ?? []).join(", "), 120)}`,
    reservation_dropped: (data) => `gives up its reservation`,
    reservation_refused: (data) => `was refused a reservation${why(data)}`,
    key_trust: (data) => `trusts the key ${line(data.kid, 80)}`,
    key_revoke: (data) => `revokes the key ${line(data.kid, 80)}`,
    shell_command: (data) => `ran a command`,
};

export const words = ({type, data}) => {
    const say = WORDS[type];
    try {
        return say ? say(data ?? {}) : line(type, 60).replace(/_/g, " ") + why(data ?? {});
    } catch {
        return line(type, 60);
    }
};

// Says nothing by itself; many of one kind are one line.
const ROUTINE = new Set([
    "pheromone_sense", "pheromone_drop", "rsm_envelope_recv", "worker_spawn", "queen_select",
    "status_update", "mail_announced", "mail_handed_over", "mail_seen", "rsm_envelope_emit",
]);

export const isFailure = ({type, data}) =>
    ["rsm_envelope_dead", "rsm_envelope_conflict", "policy_guard", "policy_breach", "sender_refused",
        "consent_refused", "reservation_refused", "pheromone_expire"].includes(type)
    || (type === "worker_ack" && data?.status === "error")
    || (type === "rsm_envelope_return" && data?.reason !== "released");

// A signal that somebody leaves on purpose is no routine: it is about no mail.
export const isRoutine = (event) =>
    ROUTINE.has(event.type) && !isFailure(event) && !(event.type === "pheromone_drop" && !event.data?.ref);

const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

// The mail that an event is about. Reservations and the like have ids of their own.
export const refOf = ({type, data}) => {
    const ref = data?.id ?? data?.ref ?? "";
    return ID.test(ref) && !/^(reservation|lock|mute|override|key)_/.test(type) ? ref : null;
};

export const TYPES = Object.keys(WORDS).sort();
