import { randomInt } from "node:crypto";
import { parseActor } from "./address.js";
import { isId } from "./id.js";

/** A claim: its name is the token that whoever renews, finishes or returns a copy must show. */
export interface Claim {
  readonly id: string;
  readonly attempt: number;
  readonly worker: string;
  readonly claimedMs: number;
  readonly leaseS: number;
  readonly tag: string;
}

// The worker stands in the middle because it alone may contain dots.
const TOKEN = /^([^.]+)\.(\d{1,9})\.(.+)\.(\d{1,15})\.(\d{1,15})\.([0-9a-z]+)$/;
const TAG_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const ATTENDANT_LENGTH = 9;

export function randomTag(length: number): string {
  return Array.from({ length }, () => TAG_ALPHABET[randomInt(TAG_ALPHABET.length)]).join("");
}

/** The claim of that name; undefined if it is no claim's. Nothing else takes that text apart. */
export function parseClaim(token: string): Claim | undefined {
  const [, id, attempt, worker, claimedMs, leaseS, tag] = TOKEN.exec(token) ?? [];
  if (id === undefined || !isId(id)) {
    return undefined;
  }
  try {
    parseActor(worker);
  } catch {
    return undefined;
  }
  return { id, attempt: Number(attempt), worker, claimedMs: Number(claimedMs), leaseS: Number(leaseS), tag };
}

/** The claim whose file has that name; undefined if it is no claim's. */
export function claimOfFile(name: string): Claim | undefined {
  return name.endsWith(".md") ? parseClaim(name.slice(0, -".md".length)) : undefined;
}

export function tokenOf(claim: Claim): string {
  return [claim.id, claim.attempt, claim.worker, claim.claimedMs, claim.leaseS, claim.tag].join(".");
}

/** The process that must be alive for a claim to hold, if the claim is attended. */
export function attendantOf({ tag }: Claim): string | undefined {
  return tag.startsWith("w") && tag.length > ATTENDANT_LENGTH ? tag.slice(0, ATTENDANT_LENGTH) : undefined;
}

/**
 * When a lease ends: the later of claim and last sign of life, plus the lease. A sign before the claim or ahead counts
 * for nothing. A claim that is ahead was made by a clock that is: it counts from when the kernel saw the file change.
 */
export function leaseEndsAt(claim: Claim, touchedMs: number, changedMs: number, nowMs: number): number {
  const begun = claim.claimedMs > nowMs && changedMs <= nowMs ? changedMs : claim.claimedMs;
  return (touchedMs > begun && touchedMs <= nowMs ? touchedMs : begun) + claim.leaseS * 1000;
}
