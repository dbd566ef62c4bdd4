import type { Priority } from "./envelope.js";
import { SECOND, type Instant } from "./time.js";

/** Why an inbox is under backpressure. */
export type Cause = "age" | "depth";

/** From when on an inbox counts as too full. */
export interface PressureLimits {
  readonly depthMax: number;
  readonly oldestAgeMax: number;
}

/** What waits in an inbox at one moment; the age, in seconds, of the oldest that is not expired. */
export interface Load {
  readonly depth: number;
  readonly oldestAge: number;
}

/** What an inbox, or a rule about senders, does to one envelope. */
export type Admission =
  | { readonly kind: "admitted"; readonly delayMs: number; readonly reason: string }
  | { readonly kind: "refused"; readonly retryAfterS: number; readonly reason: string; readonly bySender?: true };

const ADMITTED: Admission = { kind: "admitted", delayMs: 0, reason: "" };

/** It ends below this part of what began it, so that it does not come and go with each letter. */
const LEAVING = 0.8;
const P1_DELAY_MS_MAX = 2_000;
const AGE_DELAY_MS: Record<Priority, number> = { P0: 0, P1: 0, P2: 1_000, P3: 3_000 };
/** So many sends of one sender in a minute pass an inbox of old mail at once: where nobody works is no overload. */
const UNDELAYED_PER_MINUTE = 5;
const RETRY_S_MIN = 5;
const RETRY_S_MAX = 60;
/** So many times as far above its end as the limit is, and the longest wait is right. */
const EXCESS_MAX = 10;
const UNITS: readonly (readonly [number, string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
  [1, "s"],
];

/** Why an inbox comes under backpressure, if it does. */
export function entered(load: Load, limits: PressureLimits): Cause | undefined {
  return load.depth > limits.depthMax ? "depth" : load.oldestAge > limits.oldestAgeMax ? "age" : undefined;
}

/** Whether an inbox that was under backpressure no longer is. */
export function isOver(load: Load, limits: PressureLimits): boolean {
  return load.depth < LEAVING * limits.depthMax && load.oldestAge < LEAVING * limits.oldestAgeMax;
}

/**
 * What the inbox `domain` does to an envelope of class `priority`; `held` says why it is under backpressure, if it is,
 * and `sent` how many envelopes the sender put into it in the last minute.
 */
export function admit(
  priority: Priority,
  domain: string,
  held: Cause | undefined,
  load: Load,
  sent: number,
  limits: PressureLimits,
): Admission {
  const leaving = LEAVING * limits.depthMax;
  if (load.depth > limits.depthMax || (held === "depth" && load.depth >= leaving)) {
    // 0 where it ends, 1 where it began.
    const excess = (load.depth - leaving) / (limits.depthMax - leaving);
    return byDepth(priority, excess, load.depth, limits.depthMax);
  }
  const isTooOld = held !== undefined || entered(load, limits) !== undefined;
  // A person reads when they have time: that is no reason to keep mail from them.
  const isPersons = domain.startsWith("user-");
  const delayMs = AGE_DELAY_MS[priority];
  return !isTooOld || isPersons || sent < UNDELAYED_PER_MINUTE || delayMs === 0
    ? ADMITTED
    : { kind: "admitted", delayMs, reason: old(load, limits) };
}

/** Who goes by the mark alone does not know the age of the oldest. */
function old({ oldestAge }: Load, { oldestAgeMax }: PressureLimits): string {
  if (oldestAge < LEAVING * oldestAgeMax) {
    return "mail there has waited for too long";
  }
  const [unit, name] = UNITS.find(([seconds]) => oldestAge >= seconds) ?? UNITS[UNITS.length - 1];
  return `the oldest mail there is ${Math.floor(oldestAge / unit)}${name} old`;
}

function byDepth(priority: Priority, excess: number, depth: number, depthMax: number): Admission {
  const reason = `the inbox is full: ${depth} waiting, limit ${depthMax}`;
  switch (priority) {
    case "P0":
      return ADMITTED;
    case "P1":
      return { kind: "admitted", delayMs: Math.round(P1_DELAY_MS_MAX * clamped(excess)), reason };
    case "P2":
    case "P3": {
      const wait = Math.round(RETRY_S_MAX * 1000 * clamped(excess / EXCESS_MAX)) / 1000;
      return { kind: "refused", retryAfterS: Math.ceil(Math.max(RETRY_S_MIN, wait)), reason };
    }
  }
}

function clamped(part: number): number {
  return Math.min(1, Math.max(0, part));
}

/** What one sender may put into one inbox. */
export interface SenderLimits {
  readonly waitingMax: number;
  readonly perMinuteMax: number;
  readonly p0PerMinuteMax: number;
}

const MINUTE = 60n * SECOND;
const WAITING_RETRY_S = 30;
/** From so many hops on an envelope is an answer to an answer. */
const REPLY_HOPS_MIN = 2;
export const LOOP_PER_MINUTE_MAX = 20;

/** How far a time may lie ahead: clocks are set back by moments. */
const AHEAD_MAX = 10n * SECOND;

/** What a wrong clock said to be much later is not of the last minute, and keeps nobody waiting. */
export function isOfLastMinute(at: Instant, now: Instant): boolean {
  return at > now - MINUTE && at <= now + AHEAD_MAX;
}

/** What one sender put into one inbox in the last minute, and whether it may put in more. */
export class SenderTraffic {
  private sent: { at: Instant; priority: Priority; hops: number }[] = [];

  add(at: Instant, priority: Priority, hops: number): void {
    this.sent.push({ at, priority, hops });
  }

  /** How many there were in the minute before `now`. */
  perMinute(now: Instant): number {
    return this.sent.filter(({ at }) => isOfLastMinute(at, now)).length;
  }

  /**
   * Whether one more may be put in now.
   *
   * @param waiting how many of the sender's envelopes wait in the inbox
   * @param answers how many the inbox's owner put into the sender's own inbox in the last minute
   */
  admit(
    { priority, hops }: { priority: Priority; hops: number },
    waiting: number,
    answers: number,
    limits: SenderLimits,
    now: Instant,
  ): Admission {
    this.sent = this.sent.filter(({ at }) => isOfLastMinute(at, now));
    const sorted = this.sent.toSorted((a, b) => (a.at < b.at ? -1 : 1));
    const all = sorted.map(({ at }) => at);
    const p0 = sorted.filter((one) => one.priority === "P0").map(({ at }) => at);
    const replies = sorted.filter((one) => one.hops >= REPLY_HOPS_MIN).map(({ at }) => at);
    if (waiting >= limits.waitingMax) {
      return refused(
        WAITING_RETRY_S,
        `found ${waiting} waiting from this sender, expected fewer than ${limits.waitingMax}`,
      );
    }
    if (all.length >= limits.perMinuteMax) {
      return tooMany(all, limits.perMinuteMax, "from this sender", now);
    }
    if (priority === "P0" && p0.length >= limits.p0PerMinuteMax) {
      return tooMany(p0, limits.p0PerMinuteMax, "P0 from this sender", now);
    }
    if (hops >= REPLY_HOPS_MIN && replies.length >= LOOP_PER_MINUTE_MAX) {
      return tooMany(replies, LOOP_PER_MINUTE_MAX, "answers to answers from this sender, a loop", now);
    }
    if (Math.min(all.length, answers) >= LOOP_PER_MINUTE_MAX) {
      return tooMany(all, LOOP_PER_MINUTE_MAX, "between this pair, each way, a loop", now);
    }
    return ADMITTED;
  }
}

function tooMany(times: Instant[], max: number, what: string, now: Instant): Admission {
  const ends = times[times.length - max] + MINUTE - now;
  // A clock that went back must not make anybody wait for longer than the minute.
  const leaves = ends > MINUTE ? MINUTE : ends;
  return refused(
    Number((leaves + SECOND - 1n) / SECOND),
    `found ${times.length} in the last minute ${what}, expected fewer than ${max}`,
  );
}

function refused(seconds: number, reason: string): Admission {
  return { kind: "refused", retryAfterS: Math.max(1, seconds), reason, bySender: true };
}
