import type { Copy, Received, Sent, Settlement } from "./delivery.js";
import type { Priority } from "./envelope.js";
import { HttpProblem, lockIn, type Body } from "./http-calls.js";
import type { State } from "./layout.js";
import { Mail } from "./mail.js";
import { readEvents, type RseEvent } from "./rse.js";
import type { SignatureCheck } from "./signature.js";
import { millisOf, parseInstant, type Instant } from "./time.js";

/** An envelope that waits in an inbox, with its class as time and failures have left it. */
export interface WaitingMail {
  readonly id: string;
  readonly topic: string;
  readonly from: string;
  readonly lane: string;
  readonly priority: Priority;
  readonly effective: Priority;
  readonly ageS: number;
  readonly expiresInS: number;
  readonly attempt: number;
  readonly firstSeen: Instant;
  /** Whether it has a field `ask`, whatever it says; true if the server does not tell. */
  readonly question: boolean;
  /** Whether it has a field `answer`, whatever it says; true if the server does not tell. */
  readonly answer: boolean;
}

/** An envelope, and how far it has got. */
export interface Letter {
  readonly mail: Mail;
  readonly inbox: string;
  readonly state: State | "waiting" | "active";
}

/** A part of the event log. */
export interface Page {
  readonly events: readonly RseEvent[];
  /** Why lines could not be read. */
  readonly bad: readonly string[];
  /** Where the next page begins. */
  readonly cursor: string;
  /** Whether there is one by now. */
  readonly more: boolean;
  /** Whether the log is not the one that the cursor was from: then this is its beginning. */
  readonly restarted: boolean;
}

/** What `read` makes of an answer; a server that says something else failed. */
export function understood<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (e) {
    throw new HttpProblem(200, { detail: `found no ${what} in it, expected one (${(e as Error).message})` });
  }
}

export function text(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== "string") {
    throw new TypeError(`${name}: expected a string`);
  }
  return value;
}

function number(body: Body, name: string): number {
  const value = body[name];
  if (typeof value !== "number") {
    throw new TypeError(`${name}: expected a number`);
  }
  return value;
}

export function list(body: Body, name: string): Body[] {
  const value = body[name];
  if (!Array.isArray(value) || !value.every((item) => item !== null && typeof item === "object")) {
    throw new TypeError(`${name}: expected an array of objects`);
  }
  return value as Body[];
}

export function sentOf(body: Body, location: string): Sent {
  const copies = list(body, "to").map((copy) => copyOf(copy, location));
  const path = copies.find((copy) => copy.path !== undefined)?.path;
  const waited =
    body.waited_s === undefined ? undefined : { seconds: number(body, "waited_s"), reason: text(body, "waited_for") };
  return { id: text(body, "id"), hash: text(body, "hash"), path, copies, ...(waited && { waited }) };
}

const OUTCOMES: Record<string, Copy["outcome"]> = {
  delivered: "delivered",
  duplicate: "duplicate",
  conflict: "conflict",
  advisory: "withheld",
  withheld: "withheld",
  outbox: "parked",
  refused: "refused",
  failed: "failed",
};
const NOT_STORED = ["withheld", "refused", "failed"];

function copyOf(body: Body, location: string): Copy {
  const state = text(body, "state");
  if (!Object.hasOwn(OUTCOMES, state)) {
    throw new TypeError(`state: found "${state}", expected one we know`);
  }
  return {
    inbox: text(body, "inbox"),
    outcome: state === "delivered" && body.confirmed === false ? "unconfirmed" : OUTCOMES[state],
    ...(!NOT_STORED.includes(state) && { path: location }),
    ...(body.reason !== undefined && { reason: text(body, "reason") }),
    ...(body.retry_after_s !== undefined && { retryAfterS: number(body, "retry_after_s") }),
  };
}

export function receivedOf(body: Body, path: string): Received {
  const mail = mailOf(body);
  const inbox = text(body, "inbox");
  return {
    env: mail.env,
    bodyMd: mail.bodyMd,
    path,
    inbox,
    // On the network a claim has its inbox before it; in a program the two are apart.
    claim: text(body, "claim").slice(inbox.length + 1),
    attempt: number(body, "attempt"),
    signature: signatureOf(body),
    mail,
  };
}

/** The bytes alone count: the fields beside them are for programs that can't read envelopes. */
function mailOf(body: Body): Mail {
  return Mail.parse(Buffer.from(text(body, "envelope"), "base64"));
}

function signatureOf(body: Body): SignatureCheck {
  const kind = text(body, "signature");
  if (kind === "valid") {
    return { kind, kid: text(body, "kid"), human: body.human === true };
  }
  return kind === "unsigned" ? { kind } : { kind: "bad", reason: String(body.reason ?? "") };
}

export function settlementOf(body: Body, location: string): Settlement {
  const state = text(body, "state");
  if (state === "lost") {
    return { kind: "lost" };
  }
  if (state === "advisory" || state === "withheld") {
    const lock = lockIn(body);
    if (lock === undefined) {
      throw new TypeError("lock: expected one");
    }
    return { kind: "withheld", lock, ...(state === "advisory" && { kept: location }) };
  }
  if (body.lease_ends_at !== undefined) {
    return { kind: "renewed", untilMs: millisOf(parseInstant(text(body, "lease_ends_at"))) };
  }
  return { kind: "settled", state: state as State, ...(body.confirmed === false && { isUnconfirmed: true as const }) };
}

export function waitingOf(body: Body): WaitingMail[] {
  return list(body, "items")
    .filter((item) => item.bad !== true)
    .map((item) => ({
      id: text(item, "id"),
      topic: text(item, "topic"),
      from: text(item, "from"),
      lane: text(item, "lane"),
      priority: text(item, "priority") as Priority,
      effective: text(item, "effective") as Priority,
      ageS: number(item, "age_s"),
      expiresInS: number(item, "expires_in_s"),
      attempt: number(item, "attempt"),
      firstSeen: parseInstant(text(item, "first_seen_at")),
      question: item.question !== false,
      answer: item.answer !== false,
    }));
}

export function letterOf(body: Body): Letter {
  return { mail: mailOf(body), inbox: text(body, "inbox"), state: text(body, "state") as Letter["state"] };
}

/** The one event of a line that the server wrote. */
export function eventOf(line: string): RseEvent {
  const { events, bad } = readEvents(Buffer.from(`${line}\n`));
  if (events.length !== 1) {
    throw new TypeError(bad[0] ?? "expected one event");
  }
  return events[0];
}

/** A page of the feed: events, notes on lines that are none, and last where to go on. */
export function pageOf(answer: string): Page {
  const lines = answer.trimEnd().split("\n");
  const end = JSON.parse(lines.pop() as string) as Body;
  let events: RseEvent[] = [];
  let bad: string[] = [];
  let restarted = false;
  for (const line of lines) {
    if (line.startsWith('{"restart":')) {
      [events, bad, restarted] = [[], [], true];
    } else if (line.startsWith('{"bad":')) {
      bad.push(text(JSON.parse(line) as Body, "reason"));
    } else {
      events.push(eventOf(line));
    }
  }
  return { events, bad, cursor: text(end, "cursor"), more: end.more === true, restarted };
}
