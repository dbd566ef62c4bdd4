import { addressOf, formatAddress, parseAddress } from "./address.js";
import { tokenOf, type Claim } from "./claim-token.js";
import { domainsOf, type HiveConfig } from "./config.js";
import { parseTtl } from "./duration.js";
import type { Envelope } from "./envelope.js";
import type { State } from "./layout.js";
import type { Mail } from "./mail.js";
import { AHEAD_MAX, expiresAt } from "./selection.js";
import type { SignatureCheck } from "./signature.js";
import { instantOfMillis, parseInstant, SECOND, type Instant } from "./time.js";

/*
 * The life of one copy, as a pure state machine: what may happen to the copy, what becomes of it, and why. The folders
 * of a hive keep lives as names and links; nothing else decides again what is decided here. Time, limits and trust are
 * arguments.
 */

/** Why a claim came back. */
export type Reason = "released" | "failed" | "lease";

/** How a claim ended. */
export type Closing = Reason | "done";

/** Each reason, the state that it ends a copy in, and the one text that people read. */
const REASONS = {
  done: ["done", (note: string) => note],
  attempts: [
    "dead",
    (attempt: number, max: number, note: string) => `attempt ${attempt} of ${max} failed${note && `: ${note}`}`,
  ],
  expired: ["expired", (ttl: string) => `ttl ${ttl} is over`],
  unreadable: ["dead", (what: string) => what],
  "wrong-id": ["dead", (found: string, expected: string) => `id: found ${found}, expected ${expected}`],
  "wrong-hash": ["dead", () => "hash: it doesn't match the body"],
  misaddressed: ["dead", (address: string) => `misaddressed: nobody in "to" is ${address}`],
  "dated-ahead": ["dead", (ts: string) => `ts: found ${ts}, more than a day ahead`],
  "bad-signature": ["dead", (what: string) => `signature: ${what}`],
  "same-waits": ["duplicate", () => "it was sent again while it was away"],
  "same-at-work": ["duplicate", () => "it is being worked on already"],
  "same-finished": ["duplicate", () => "it was finished before"],
  "other-waits": ["conflict", () => "another of this id was sent while it was away"],
  "other-at-work": ["conflict", () => "another of this id is being worked on"],
  "other-finished": ["conflict", () => "another of this id was finished before"],
  "id-taken": ["conflict", (id: string) => `something else with id ${id} is there`],
  "id-finished": ["conflict", (id: string) => `an envelope with id ${id} and other content was finished`],
  "not-in-force": [undefined, (claim: string) => `claim ${claim} is not in force any more`],
} as const;

/** Why a copy ended, or was not taken in, or a claim was not obeyed. */
export type Why = keyof typeof REASONS;

/** What people read. */
export function textOf<W extends Why>(why: W, ...details: Parameters<(typeof REASONS)[W][1]>): string {
  return (REASONS[why][1] as (...details: unknown[]) => string)(...details);
}

/** The state in which a copy ends for this reason. */
export function stateOf(why: Why): State {
  return REASONS[why][0] ?? "dead";
}

/** Whether no other copy of this id may begin. Mail that was refused or has expired leaves its id free. */
export function isForGood(why: Why): boolean {
  return why === "done" || why === "attempts";
}

/** How often a copy is tried, how long it pauses in between, and how far ahead it may be dated. */
export interface LifeLimits {
  readonly attemptsMax: number;
  readonly pauseBaseMs: number;
  readonly pauseMsMax: number;
  readonly aheadMax: Instant;
}

export function lifeLimits(attemptsMax = 5): LifeLimits {
  return { attemptsMax, pauseBaseMs: 5_000, pauseMsMax: 600_000, aheadMax: AHEAD_MAX };
}

/** The pause before a copy that failed so often is tried again. */
export function pauseAfter(limits: LifeLimits, failures: number): number {
  return Math.min(limits.pauseBaseMs * 2 ** Math.min(failures, 64), limits.pauseMsMax);
}

/** A claim, and how it ended; without `closing` it is in force. */
export interface Holder {
  readonly claim: string;
  readonly leaseS: number;
  readonly leaseEndsAt: Instant;
  readonly closing?: Closing;
}

/** Where one copy is in its life. */
export interface Life {
  readonly state: State | "waiting" | "active";
  readonly firstSeen: Instant;
  /** Attempts that came to nothing. */
  readonly failures: number;
  readonly notBefore?: Instant;
  /** Who has the claim, or had the last one. */
  readonly holder?: Holder;
  /** Why the life is over. */
  readonly why?: Why;
  /** What was last said of it: by a holder who gave it back, or why it is over. */
  readonly note: string;
}

/** One step, and the life after it. `pauseMs` is how long nobody is to take the copy. */
export type Step =
  | { readonly kind: "claimed"; readonly life: Life; readonly isFirst: boolean }
  | { readonly kind: "renewed"; readonly life: Life }
  | { readonly kind: "accepted"; readonly life: Life; readonly attempt: number; readonly note: string }
  | {
      readonly kind: "closed";
      readonly life: Life;
      readonly attempt: number;
      readonly closing: Closing;
      readonly pauseMs: number;
    }
  | { readonly kind: "ended"; readonly life: Life };

/** What becomes of mail that is sent under an id which the inbox has met before. */
export type Resend =
  | { readonly kind: "anew" | "duplicate" }
  | { readonly kind: "conflict"; readonly reason: string };

/** What a reader finds who looks at a copy. */
export type Look =
  | { readonly kind: "ready" | "over" }
  | { readonly kind: "held"; readonly until: Instant }
  | { readonly kind: "due"; readonly step: Step };

/** What becomes of a claim that somebody wants to renew or end. */
export type Answer =
  | { readonly kind: "taken"; readonly step: Step }
  | { readonly kind: "told-before" }
  | { readonly kind: "lost"; readonly reason: string };

/** How mail compares with other mail of its id. */
export type Likeness = "same" | "other";

/** The life of a copy that has just come. */
export function begun(firstSeen: Instant): Life {
  return { state: "waiting", firstSeen, failures: 0, note: "" };
}

/** The life of a copy that is claimed. */
export function held(claim: Claim, firstSeen: Instant): Life {
  const leaseEndsAt = instantOfMillis(claim.claimedMs) + BigInt(claim.leaseS) * SECOND;
  const holder = { claim: tokenOf(claim), leaseS: claim.leaseS, leaseEndsAt };
  return { state: "active", firstSeen, failures: claim.attempt - 1, holder, note: "" };
}

/** A life of which only its end is known. */
export function over(why: Why): Life {
  return { ...begun(0n), state: stateOf(why), why };
}

/** The number of the attempt that goes on or comes next, from 1. */
export function attemptOf(life: Life): number {
  return life.failures + 1;
}

/** What becomes of mail that is sent under this copy's id. */
export function sentAgain({ why }: Life, likeness: Likeness, id: string): Resend {
  if (why !== undefined && !isForGood(why)) {
    return { kind: "anew" };
  }
  return likeness === "same"
    ? { kind: "duplicate" }
    : { kind: "conflict", reason: textOf(why === undefined ? "id-taken" : "id-finished", id) };
}

/** Why another copy, claimed while this one is there, comes to nothing; undefined if it may be worked on. */
export function rules(
  { state, why }: Life,
  likeness: Likeness,
): `${Likeness}-${"waits" | "at-work" | "finished"}` | undefined {
  switch (state) {
    case "waiting":
      return `${likeness}-waits`;
    case "active":
      return `${likeness}-at-work`;
    default:
      return why !== undefined && isForGood(why) ? `${likeness}-finished` : undefined;
  }
}

/** What a reader finds. Without an envelope the copy can't be read any more, and does not expire. */
export function look(life: Life, env: Envelope | undefined, now: Instant, limits: LifeLimits): Look {
  const { state, holder, notBefore } = life;
  if (state === "active" && holder !== undefined) {
    return now < holder.leaseEndsAt
      ? { kind: "held", until: holder.leaseEndsAt }
      : { kind: "due", step: closed(life, "lease", "", 0, env, now, limits) };
  }
  if (state !== "waiting") {
    return { kind: "over" };
  }
  if (env !== undefined && isExpired(life, env, now)) {
    return { kind: "due", step: ended(life, "expired", textOf("expired", env.ttl)) };
  }
  return notBefore !== undefined && now < notBefore ? { kind: "held", until: notBefore } : { kind: "ready" };
}

/** Somebody takes the copy, which waits. Whoever names a copy may take it during its pause. */
export function claimed(life: Life, claim: Claim): Step & { kind: "claimed" } {
  return { kind: "claimed", life: held(claim, life.firstSeen), isFirst: life.holder === undefined };
}

/** The lease of a claim begins anew. */
export function renewed(life: Life, claim: string, now: Instant): Answer {
  const { holder } = life;
  if (holder === undefined || !isHeldBy(life, claim)) {
    return lost(claim);
  }
  const leaseEndsAt = now + BigInt(holder.leaseS) * SECOND;
  return { kind: "taken", step: { kind: "renewed", life: { ...life, holder: { ...holder, leaseEndsAt } } } };
}

/** As `renewed`, by a holder who says that the work is taken on. */
export function accepted(life: Life, claim: string, note: string, now: Instant): Answer {
  const answer = renewed(life, claim, now);
  return answer.kind === "taken"
    ? { kind: "taken", step: { kind: "accepted", life: answer.step.life, attempt: attemptOf(life), note } }
    : answer;
}

/** The holder of a claim ends it. */
export function settled(
  life: Life,
  claim: string,
  closing: Closing,
  said: string,
  releasedMs: number,
  env: Envelope | undefined,
  now: Instant,
  limits: LifeLimits,
): Answer {
  if (isHeldBy(life, claim)) {
    return { kind: "taken", step: closed(life, closing, said, releasedMs, env, now, limits) };
  }
  return life.holder?.claim === claim && life.holder.closing === closing ? { kind: "told-before" } : lost(claim);
}

/**
 * The claim in force ends. What failed for the last time is dead, what comes back after its time is expired, and all
 * else waits.
 */
export function closed(
  life: Life,
  closing: Closing,
  said: string,
  releasedMs: number,
  env: Envelope | undefined,
  now: Instant,
  limits: LifeLimits,
): Step & { kind: "closed" } {
  const isFailure = closing === "failed" || closing === "lease";
  const attempt = attemptOf(life);
  const failures = isFailure ? attempt : life.failures;
  const holder = life.holder && { ...life.holder, closing };
  const end = (why: Why, note: string): Step & { kind: "closed" } => {
    const after = { ...life, state: stateOf(why), failures, notBefore: undefined, holder, why, note };
    return { kind: "closed", life: after, attempt, closing, pauseMs: 0 };
  };
  if (closing === "done") {
    return end("done", said);
  }
  if (isFailure && attempt >= limits.attemptsMax) {
    return end("attempts", textOf("attempts", attempt, limits.attemptsMax, said));
  }
  if (env !== undefined && isExpired(life, env, now)) {
    return end("expired", said);
  }
  const pauseMs = isFailure ? pauseAfter(limits, attempt) : releasedMs;
  const notBefore = pauseMs === 0 ? undefined : now + instantOfMillis(pauseMs);
  const after: Life = { ...life, state: "waiting", failures, notBefore, holder, note: said };
  return { kind: "closed", life: after, attempt, closing, pauseMs };
}

/** The copy ends without work: refused, repeated, or too late. */
export function ended(life: Life, why: Why, note: string): Step & { kind: "ended" } {
  return { kind: "ended", life: { ...life, state: stateOf(why), notBefore: undefined, why, note } };
}

/** The answer to whoever shows a claim that has ended, or that there never was. */
export function lost(claim: string): Answer & { kind: "lost" } {
  return { kind: "lost", reason: textOf("not-in-force", claim) };
}

function isExpired({ firstSeen }: Life, env: Envelope, now: Instant): boolean {
  return now >= expiresAt({ ts: parseInstant(env.ts), firstSeen, ttl: BigInt(parseTtl(env.ttl)) * SECOND });
}

function isHeldBy({ state, holder }: Life, claim: string): boolean {
  return state === "active" && holder?.claim === claim;
}

/** One thing that speaks against an envelope: the field that it is about, and the reason kept with dead mail. */
export interface Objection {
  readonly field: "id" | "hash" | "to" | "ts" | "sig";
  readonly why: Why;
  readonly text: string;
}

/** All that speaks against an envelope in an inbox, in the order in which it counts. */
export function objections(
  takenAs: string,
  mail: Mail,
  firstSeen: Instant,
  signature: SignatureCheck,
  inbox: string,
  config: HiveConfig,
): Objection[] {
  const { env } = mail;
  const found: Objection[] = [];
  if (env.id !== takenAs) {
    found.push({ field: "id", why: "wrong-id", text: textOf("wrong-id", env.id, takenAs) });
  }
  if (!mail.hashMatches()) {
    found.push({ field: "hash", why: "wrong-hash", text: textOf("wrong-hash") });
  }
  if (!env.to.some((address) => domainsOf(config, parseAddress(address)).includes(inbox))) {
    const text = textOf("misaddressed", formatAddress(addressOf(inbox)));
    found.push({ field: "to", why: "misaddressed", text });
  }
  if (parseInstant(env.ts) > firstSeen + lifeLimits().aheadMax) {
    found.push({ field: "ts", why: "dated-ahead", text: textOf("dated-ahead", env.ts) });
  }
  if (signature.kind === "bad") {
    found.push({ field: "sig", why: "bad-signature", text: textOf("bad-signature", signature.reason) });
  }
  return found;
}
