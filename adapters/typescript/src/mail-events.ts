import type { Claim } from "./claim-token.js";
import { formatDuration } from "./duration.js";
import type { Envelope } from "./envelope.js";
import type { JsonObject } from "./json.js";
import type { Step } from "./life.js";

/** An event about a copy, of a moment and with a consent that whoever tells it adds. */
export interface MailEvent {
  readonly type: string;
  readonly data: JsonObject;
  /** Who did it, where that is another than who tells. */
  readonly actor?: string;
}

/** The copy that events are about; without an envelope it can't be read. */
export interface CopyOf {
  readonly inbox: string;
  /** The id, or what else the copy is called if it has none. */
  readonly id: string;
  readonly env?: Envelope;
}

/** Somebody got a claim; `isFirst` if nobody had one of this copy before. */
export function eventsOfClaim(
  env: Envelope,
  inbox: string,
  claim: Claim,
  why: string,
  isFirst: boolean,
  self: string,
): MailEvent[] {
  const about = { inbox, attempt: claim.attempt };
  const { id, from, hash } = env;
  const events: MailEvent[] = [{ type: "pheromone_sense", data: { ref: id } }];
  if (isFirst) {
    events.push({ type: "rsm_envelope_recv", data: { id, from, inbox, hash, attempt: claim.attempt } });
  }
  events.push({ type: "queen_select", data: { basis: "inbox", id, rationale: why, ...about } });
  const spawned = {
    name: claim.worker,
    ...(env.scope !== undefined && { scope: env.scope }),
    ttl: formatDuration(claim.leaseS),
    parent: self,
    ref: id,
  };
  events.push({ type: "worker_spawn", data: spawned });
  return events.map((event) => ({ ...event, actor: claim.worker }));
}

/**
 * What a step leaves; of a claim only `eventsOfClaim` tells, which knows why this copy was chosen. `by` is whose word
 * ended the claim, if that is another's than who tells.
 */
export function eventsOf(step: Step, copy: CopyOf, by?: string): MailEvent[] {
  const { inbox, id, env } = copy;
  const { life } = step;
  switch (step.kind) {
    case "claimed":
    case "renewed":
      return [];
    case "accepted":
      return [acknowledged(copy, "accepted", step.attempt, step.note, by)];
    case "ended":
      return [ended(copy, life.state, life.note)];
  }
  const events: MailEvent[] = [];
  const { attempt, closing } = step;
  if (closing === "failed") {
    events.push(acknowledged(copy, "error", attempt, life.note, by));
  }
  if (life.state === "done") {
    events.push(acknowledged(copy, "done", attempt, life.note, by));
  } else if (life.state !== "waiting") {
    events.push(ended(copy, life.state, life.note));
  } else {
    events.push({ type: "rsm_envelope_return", data: { id, inbox, attempt, reason: closing } });
    if (closing !== "released" && env !== undefined) {
      // The signal again, weaker, with what is known of the failure.
      const signal = {
        topic: env.topic,
        priority: `P${Math.min(3, Number(env.priority[1]) + attempt)}`,
        ref: env.id,
        ttl: env.ttl,
        attempt,
        retry_in_s: step.pauseMs / 1000,
      };
      events.push({ type: "pheromone_drop", data: { ...signal, ...(life.note && { context: life.note }) } });
    }
  }
  return events;
}

function acknowledged({ inbox, id }: CopyOf, status: string, attempt: number, note: string, actor?: string): MailEvent {
  return { type: "worker_ack", data: { ref: id, status, ...(note && { notes: note }), inbox, attempt }, actor };
}

/** The event of a copy whose life is over without being done. */
function ended({ inbox, id }: CopyOf, state: string, reason: string): MailEvent {
  const data = { id, inbox };
  switch (state) {
    case "expired":
      return { type: "pheromone_expire", data };
    case "duplicate":
      return { type: "rsm_envelope_duplicate", data };
    default:
      return { type: `rsm_envelope_${state}`, data: { ...data, reason } };
  }
}
