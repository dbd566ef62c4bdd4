import { tokenOf, type Claim } from "./claim-token.js";
import type { GuardedFiles } from "./guarded-files.js";
import { formatJson, isObject, parseJson, type JsonObject } from "./json.js";
import type { Layout, State } from "./layout.js";
import type { Reason } from "./life.js";
import { formatInstant, instantOfMillis, parseInstant, type Instant } from "./time.js";

const HISTORY_BYTES_MAX = 4 * 1024 * 1024;
const NOTE_LENGTH_MAX = 1_000;
/** What is known of a copy's past. */
export interface Facts {
  readonly firstSeen?: Instant;
  /** Claims so far, less those given back. */
  readonly attempts: number;
  readonly notBefore?: Instant;
  readonly steps: readonly JsonObject[];
}

/**
 * What happened to each copy, in a file of its own beside it: one JSON line a step, only ever appended. Losing it costs
 * attempt counts and pauses, never mail.
 */
export class History {
  constructor(
    private readonly files: GuardedFiles,
    private readonly layout: Layout,
    private readonly self: string,
  ) {}

  read(domain: string, id: string): Facts {
    const bytes = this.files.read(this.layout.history(domain, id), HISTORY_BYTES_MAX);
    const steps = (bytes?.toString("utf8") ?? "").split("\n").flatMap((line) => {
      try {
        const step = parseJson(line);
        return isObject(step) ? [step] : [];
      } catch {
        return [];
      }
    });
    return sumUp(steps);
  }

  /** When a copy was first met, whatever became of it since; undefined if nobody told. */
  firstTold(domain: string, id: string): Instant | undefined {
    const step = this.read(domain, id).steps.find(({ what }) => what === "first_seen");
    return step === undefined ? undefined : timeAt(step, "ts");
  }

  /** Whether an actor ever had a claim of that copy. */
  hasClaimed(domain: string, id: string, actor: string): boolean {
    return this.read(domain, id).steps.some(({ what, by }) => what === "claim" && by === actor);
  }

  firstSeen(domain: string, id: string, at: Instant): void {
    this.append(domain, id, { ts: formatInstant(at), what: "first_seen" }, false);
  }

  claimed(domain: string, claim: Claim): void {
    const step = this.step("claim", claim, claim.claimedMs, claim.worker);
    this.append(domain, claim.id, { ...step, lease_s: claim.leaseS }, false);
  }

  /** Says how a claim is about to end. After a power cut silence is taken for done, so that all else is synced. */
  outcome(domain: string, claim: Claim, state: State, note: string, millis: number): void {
    const step = { ...this.step("outcome", claim, millis, this.self), status: state, ...noteOf(note) };
    this.append(domain, claim.id, step, state !== "done");
  }

  returned(domain: string, claim: Claim, reason: Reason, note: string, pauseMs: number, millis: number): void {
    const step = { ...this.step("return", claim, millis, this.self), reason, ...noteOf(note) };
    this.append(domain, claim.id, pauseMs === 0 ? step : { ...step, not_before: iso(millis + pauseMs) }, false);
  }

  /** Says why a file went to the archive without anybody's claim. */
  archived(domain: string, name: string, state: State, reason: string, millis: number): void {
    this.append(domain, name, { ts: iso(millis), what: "outcome", status: state, ...noteOf(reason) }, false);
  }

  private step(what: string, claim: Claim, millis: number, by: string): JsonObject {
    return { ts: iso(millis), what, by, attempt: claim.attempt, claim: tokenOf(claim) };
  }

  private append(domain: string, id: string, step: JsonObject, sync: boolean): void {
    this.files.append(this.layout.history(domain, id), Buffer.from(`${formatJson(step)}\n`), { sync });
  }
}

function sumUp(steps: JsonObject[]): Facts {
  const attempts = new Set<string>();
  let firstSeen: Instant | undefined;
  let notBefore: Instant | undefined;
  for (const step of steps) {
    const claim = String(step.claim ?? "");
    switch (step.what) {
      case "first_seen":
        firstSeen = timeAt(step, "ts");
        break;
      case "claim":
        attempts.add(claim);
        break;
      case "return":
        attempts.add(claim);
        if (step.reason === "released") {
          attempts.delete(claim);
        }
        notBefore = timeAt(step, "not_before");
        break;
      case "outcome":
        // What has an outcome is in the archive: whatever waits under this id is another copy.
        attempts.delete(claim);
        if (step.status === "expired") {
          attempts.clear();
          firstSeen = notBefore = undefined;
        }
        break;
    }
  }
  return { firstSeen, attempts: attempts.size, notBefore, steps };
}

function timeAt(step: JsonObject, field: string): Instant | undefined {
  try {
    return typeof step[field] === "string" ? parseInstant(step[field]) : undefined;
  } catch {
    return undefined;
  }
}

function noteOf(note: string): { note?: string } {
  const characters = [...note];
  return note === ""
    ? {}
    : { note: characters.length > NOTE_LENGTH_MAX ? `${characters.slice(0, NOTE_LENGTH_MAX).join("")}…` : note };
}

function iso(millis: number): string {
  return formatInstant(instantOfMillis(millis));
}
