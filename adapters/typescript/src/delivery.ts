import type { Admission } from "./backpressure.js";
import type { Envelope } from "./envelope.js";
import type { State } from "./layout.js";
import type { Lock } from "./locks.js";
import type { Mail } from "./mail.js";
import type { SignatureCheck, Signer } from "./signature.js";

/** How a hive is opened. */
export interface Options {
  /** Who works here: the name in claims and events. */
  readonly actor: string;
  /** The hive's folder; else `RSM_ROOT`, else the nearest one above the working folder. */
  readonly root?: string;
  /** Signs what is sent. */
  readonly signer?: Signer;
  /** The shared secret of a trusted HMAC key, where this machine has it; else those of the user's own keys. */
  readonly secrets?: (kid: string) => Uint8Array | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** What became of one copy. */
export interface Copy {
  readonly inbox: string;
  /**
   * `delivered`: on disk, and it survives a power cut; `unconfirmed`: there, but the disk did not confirm it;
   * `duplicate`: it was there already, a success; `conflict`: something else has its id; `withheld`: a lock forbids it,
   * and it waits in the mirror (do not resend); `parked`: its sender is muted; `refused`: try again later; `failed`: the
   * disk refused it.
   */
  readonly outcome:
    "delivered" | "unconfirmed" | "duplicate" | "conflict" | "withheld" | "parked" | "refused" | "failed";
  readonly path?: string;
  readonly reason?: string;
  readonly retryAfterS?: number;
}

export interface Sent {
  readonly id: string;
  readonly hash: string;
  /** Where the first copy is, relative to the hive root; undefined if there is none. */
  readonly path?: string;
  readonly copies: readonly Copy[];
  /** How long an inbox under backpressure made the sender wait, and why; undefined if not at all. */
  readonly waited?: Wait;
}

/** A delay before an inbox took an envelope. */
export interface Wait {
  readonly seconds: number;
  readonly reason: string;
}

/** An envelope that is ours to work on, until its lease ends. */
export interface Received {
  readonly env: Envelope;
  readonly bodyMd: string;
  /** The claimed file, relative to the hive root. */
  readonly path: string;
  readonly inbox: string;
  /** The fencing token: whoever finishes or returns the copy names it. */
  readonly claim: string;
  readonly attempt: number;
  readonly signature: SignatureCheck;
  readonly mail: Mail;
}

/** What became of a claim. */
export type Settlement =
  /** `isUnconfirmed`: it is so, but the disk did not confirm it. */
  | { readonly kind: "settled"; readonly state: State | "waiting"; readonly isUnconfirmed?: true }
  | { readonly kind: "renewed"; readonly untilMs: number }
  /** The lease ended, and somebody else has it or finished it. */
  | { readonly kind: "lost" }
  /** A lock forbids it; the outcome is kept, if `kept` says where, and applied once the hive is free. */
  | { readonly kind: "withheld"; readonly lock: Lock; readonly kept?: string };

/** How `recv` takes mail. */
export interface RecvOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** How long a claim lives without a sign of life, such as `30m`; else as `hive.yaml` says. */
  readonly lease?: string;
  /** How often the inbox is looked at while nothing is ready. */
  readonly pollMs?: number;
}

/** Fails on what no reader would take. */
export function checkSendable(mail: Mail): void {
  if (!mail.hashMatches()) {
    throw new RangeError(`hash: found ${mail.env.hash}, expected that of the body`);
  }
  if (mail.env.consent === "public" && !mail.env.sig?.startsWith("ed25519-")) {
    throw new RangeError("consent: found public without an ed25519 signature, expected one");
  }
}

/** Fails on public mail: what looks through it knows the user's rules, the locks and this machine's keys. */
export function refusePublic(mail: Mail): void {
  if (mail.env.consent === "public") {
    throw new RangeError(
      `envelope ${mail.env.id}: consent is public, and nothing here looks through public mail; ` +
        "send it with rsm send --consent public --public, or to a served hive with HttpTransport",
    );
  }
}

export function refusal(inbox: string, admission: Admission): Copy | undefined {
  const { kind } = admission;
  return kind === "admitted"
    ? undefined
    : { inbox, outcome: "refused", reason: admission.reason, retryAfterS: admission.retryAfterS };
}

export function receipt(mail: Mail, copies: Copy[], waited?: Wait): Sent {
  const path = copies.find((copy) => copy.path !== undefined)?.path;
  return { id: mail.env.id, hash: mail.env.hash, path, copies, ...(waited && { waited }) };
}
