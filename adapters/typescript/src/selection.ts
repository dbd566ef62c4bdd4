import type { Priority } from "./envelope.js";
import { formatDuration } from "./duration.js";
import { SECOND, type Instant } from "./time.js";

/** What decides when a waiting envelope is taken. Times and lengths are in nanoseconds. */
export interface Urgency {
  readonly id: string;
  readonly priority: Priority;
  /** What the sender claims. */
  readonly ts: Instant;
  /** What is known: when it was first met in its inbox. */
  readonly firstSeen: Instant;
  readonly ttl: bigint;
  readonly halfLife: bigint;
  readonly failures: number;
  /** The end of the pause after a failure. */
  readonly notBefore?: Instant;
}

/** The rule of one pick: `due` takes what is closest to being lost, `drain` holds while there is backpressure. */
export type Turn = "normal" | "due" | "drain";

/** How far before its arrival an envelope may be dated and still be believed. */
const BACKDATING_MAX = 300n * SECOND;
export const AHEAD_MAX = 86_400n * SECOND;
const LOWEST_CLASS = 3;

/** The rule for the pick of this number, counted from 1, where every `dueTurn`th is a due turn. */
export function turnOf(pick: number, dueTurn: number, drains: boolean): Turn {
  return pick % dueTurn === 0 ? "due" : drains ? "drain" : "normal";
}

/** The half-life of an envelope, from `ttl/4` or a number of seconds. */
export function halfLifeOf(ttl: bigint, part: number, seconds?: number): bigint {
  const length = seconds === undefined ? ttl / BigInt(part) : BigInt(seconds) * SECOND;
  return length > 0n ? length : 1n;
}

/** Whether `ts` is so far ahead that the envelope is refused. */
export function isAbsurd({ ts, firstSeen }: Urgency): boolean {
  return ts > firstSeen + AHEAD_MAX;
}

export function isFromTheFuture({ ts, firstSeen }: Urgency): boolean {
  return ts > firstSeen;
}

/** When its time is over: mail from the future has its `ttl` from when it was seen. */
export function expiresAt(u: Pick<Urgency, "ts" | "firstSeen" | "ttl">): Instant {
  return (u.ts > u.firstSeen ? u.firstSeen : u.ts) + u.ttl;
}

export function isExpired(u: Urgency, now: Instant): boolean {
  return now >= expiresAt(u);
}

export function isReady(u: Urgency, now: Instant): boolean {
  return u.notBefore === undefined || now >= u.notBefore;
}

/** 0 for P0 to 3 for P3, after decay and failures. */
export function effectiveClass(u: Urgency, now: Instant): number {
  return Math.min(LOWEST_CLASS, drainClass(u) + Number(age(u, now) / u.halfLife));
}

/** w(t) = w0 · 2^(−age / half-life). */
export function weight(u: Urgency, now: Instant): number {
  return 2 ** (LOWEST_CLASS - classOf(u)) * 2 ** -(Number(age(u, now)) / Number(u.halfLife));
}

/** The order in which envelopes are taken at `now` by the rule of `turn`. */
export function byTurn(turn: Turn, now: Instant): (one: Urgency, other: Urgency) => number {
  const keys = (u: Urgency): bigint[] => {
    switch (turn) {
      case "normal":
        return [BigInt(effectiveClass(u, now)), orderTime(u)];
      case "drain":
        return [BigInt(drainClass(u)), orderTime(u)];
      case "due":
        return [dueAt(u)];
    }
  };
  return (one, other) => {
    const [ours, theirs] = [keys(one), keys(other)];
    const differing = ours.findIndex((key, index) => key !== theirs[index]);
    if (differing < 0) {
      return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
    }
    return ours[differing] < theirs[differing] ? -1 : 1;
  };
}

/** Why this one, with the arithmetic: `P1, age 12m of 1h, w 2.3, effective P1, first of 4`. */
export function rationale(u: Urgency, turn: Turn, waiting: number, now: Instant): string {
  const [old, life] = [age(u, now), u.ttl].map((length) => formatDuration(Number(length / SECOND)));
  const rule = { normal: "", due: ", due turn", drain: `, draining as P${drainClass(u)}` }[turn];
  const failed = u.failures === 0 ? "" : `, after ${u.failures} failed`;
  const arithmetic = `w ${weight(u, now).toFixed(1)}, effective P${effectiveClass(u, now)}`;
  return `${u.priority}, age ${old} of ${life}, ${arithmetic}${failed}${rule}, first of ${waiting}`;
}

/** The time from which age counts: whoever dates mail back gains five minutes at most. */
export function orderTime(u: Urgency): Instant {
  if (isFromTheFuture(u)) {
    return u.firstSeen;
  }
  const earliest = u.firstSeen - BACKDATING_MAX;
  return u.ts < earliest ? earliest : u.ts;
}

/** P0 is due in the first quarter of its life, P3 by its end. */
function dueAt(u: Urgency): Instant {
  return orderTime(u) + (u.ttl / 4n) * BigInt(classOf(u) + 1);
}

function age(u: Urgency, now: Instant): bigint {
  const length = now - orderTime(u);
  return length > 0n ? length : 0n;
}

function classOf(u: Urgency): number {
  return Number(u.priority[1]);
}

function drainClass(u: Urgency): number {
  return Math.min(LOWEST_CLASS, classOf(u) + u.failures);
}
