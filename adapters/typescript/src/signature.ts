import { createHmac, createPrivateKey, createPublicKey, sign, timingSafeEqual, verify } from "node:crypto";
import { parseActor } from "./address.js";
import { Mail } from "./mail.js";
import type { Instant } from "./time.js";

export type Algorithm = "ed25519" | "hmac";

const KEY_BYTES = 32;
const SECRET_BYTES_MIN = 32;
/** How many keys are tried for a signature that names none: each costs a check. */
const KEYS_TRIED_MAX = 8;

/** What stands before a raw Ed25519 key in the forms that the platform reads (RFC 8410). */
const PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** What is known of a key besides its owner's private half. */
export interface Key {
  readonly kid: string;
  readonly algorithm: Algorithm;
  /** The public key; for HMAC the shared secret, or undefined where this machine does not have it. */
  readonly material?: Uint8Array;
  /** Who may sign with it. */
  readonly actors: readonly string[];
  readonly human?: boolean;
  readonly expires?: Instant;
  readonly revoked?: Instant;
}

/** Who vouches for an envelope. */
export type SignatureCheck =
  | { readonly kind: "valid"; readonly kid: string; readonly human: boolean }
  | { readonly kind: "unsigned" }
  | { readonly kind: "bad"; readonly reason: string };

/** The bytes that a signature of `mail` by `algorithm` is of. */
export function signedBytes(mail: Mail, algorithm: Algorithm, kid: string): Uint8Array {
  const { bytes, fields, headerStart, headerEnd } = mail.text;
  const sig = fields.find((field) => field.key === "sig");
  const header = Buffer.concat([
    bytes.subarray(headerStart, sig?.start ?? headerEnd),
    bytes.subarray(sig?.end ?? headerEnd, headerEnd),
  ]);
  const start = Buffer.from(`RSM-SIG-v1\n${algorithm}\n${kid}\n${header.length}\n`);
  return Buffer.concat([start, header, Buffer.from(`${mail.body.length}\n`), mail.body]);
}

/** Signs mail under the name of a key. */
export class Signer {
  private constructor(
    readonly kid: string,
    readonly algorithm: Algorithm,
    private readonly signatureOf: (bytes: Uint8Array) => Buffer,
  ) {}

  /** @param seed the 32 bytes of the private key */
  static ed25519(kid: string, seed: Uint8Array): Signer {
    if (seed.length !== KEY_BYTES) {
      throw new RangeError(`key ${kid} has ${seed.length} bytes, expected ${KEY_BYTES}`);
    }
    const der = Buffer.concat([PRIVATE_PREFIX, seed]);
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    return new Signer(parseActor(kid), "ed25519", (bytes) => sign(null, bytes, key));
  }

  static hmac(kid: string, secret: Uint8Array): Signer {
    checkSecret(kid, secret);
    return new Signer(parseActor(kid), "hmac", (bytes) => createHmac("sha256", secret).update(bytes).digest());
  }

  /** The same mail with its `sig` and `kid` lines set; every other byte stays. */
  sign(mail: Mail): Mail {
    const named = Mail.parse(withLine(mail, "kid", this.kid, "hash"));
    const signature = this.signatureOf(signedBytes(named, this.algorithm, this.kid));
    return Mail.parse(withLine(named, "sig", `${this.algorithm}-${signature.toString("hex")}`, "kid"));
  }
}

/** Replaces the lines of a field, or inserts one before the field `before`. */
function withLine({ text }: Mail, key: string, value: string, before: string): Uint8Array {
  const old = text.fields.find((field) => field.key === key);
  const place = text.fields.find((field) => field.key === before)?.start ?? text.headerEnd;
  const lineEnd = text.bytes[text.headerStart - 2] === 0x0d ? "\r\n" : "\n";
  return Buffer.concat([
    text.bytes.subarray(0, old?.start ?? place),
    Buffer.from(`${key}: ${value}${lineEnd}`),
    text.bytes.subarray(old?.end ?? place),
  ]);
}

/** The keys that a hive trusts, each under a name of its own. */
export class TrustList {
  constructor(readonly keys: readonly Key[]) {
    for (const [index, key] of keys.entries()) {
      if (keys.findIndex((other) => other.kid === key.kid) !== index) {
        throw new RangeError(`key ${key.kid} is listed twice, expected once`);
      }
      checkKey(key);
    }
  }

  /** Whether a live key belongs to an actor. */
  hasKey(actor: string, at: Instant): boolean {
    return this.keys.some((key) => key.actors.includes(actor) && isLive(key, at));
  }

  /** Who vouches for `mail`. Its hash is not looked at: a signature covers the body itself. */
  check(mail: Mail, now: Instant, policy: "optional" | "required" = "optional"): SignatureCheck {
    const { from, sig, kid, consent } = mail.env;
    if (consent === "public" && !sig?.startsWith("ed25519-")) {
      return bad("consent public needs an ed25519 signature");
    }
    if (sig === undefined) {
      const key = this.keys.find((one) => one.actors.includes(from) && isLive(one, now));
      if (key !== undefined) {
        return bad(`no signature, but ${from} has key ${key.kid}`);
      }
      for (const one of this.keys) {
        const owner = one.actors.find((actor) => likeness(actor) === likeness(from));
        if (owner !== undefined && isLive(one, now)) {
          return bad(`no signature, and ${from} looks like ${owner}, who has key ${one.kid}`);
        }
      }
      return policy === "required" ? bad("no signature, but this hive requires one") : { kind: "unsigned" };
    }
    const algorithm = sig.slice(0, sig.indexOf("-")) as Algorithm;
    const candidates = this.keys.filter(
      (key) =>
        (kid === undefined || key.kid === kid) &&
        // The record's algorithm: what the mail says of itself never chooses how a key is used.
        key.algorithm === algorithm &&
        key.actors.includes(from) &&
        isLive(key, now),
    );
    const signed = signedBytes(mail, algorithm, kid ?? "");
    const signature = Buffer.from(sig.slice(sig.indexOf("-") + 1), "hex");
    const key = candidates.slice(0, KEYS_TRIED_MAX).find((one) => verifies(one, signed, signature));
    if (key !== undefined) {
      return { kind: "valid", kid: key.kid, human: key.human ?? false };
    }
    return bad(
      candidates.length === 0
        ? `${from} has no live ${algorithm} key${kid === undefined ? "" : ` ${kid}`} here`
        : `the signature is of none of ${from}'s keys for these bytes`,
    );
  }
}

function verifies(key: Key, signed: Uint8Array, signature: Uint8Array): boolean {
  if (key.material === undefined) {
    return false;
  }
  if (key.algorithm === "hmac") {
    return timingSafeEqual(createHmac("sha256", key.material).update(signed).digest(), signature);
  }
  try {
    const der = Buffer.concat([PUBLIC_PREFIX, key.material]);
    return verify(null, signed, createPublicKey({ key: der, format: "der", type: "spki" }), signature);
  } catch {
    // A key that is no point of the curve signs nothing.
    return false;
  }
}

function isLive(key: Key, now: Instant): boolean {
  return (key.expires === undefined || now < key.expires) && (key.revoked === undefined || now < key.revoked);
}

function checkKey({ kid, algorithm, material, actors }: Key): void {
  if (actors.length === 0) {
    throw new RangeError(`key ${kid} has no actors, expected at least one`);
  }
  if (algorithm === "ed25519" && material?.length !== KEY_BYTES) {
    throw new RangeError(`key ${kid} has ${material?.length ?? 0} bytes, expected ${KEY_BYTES}`);
  }
  if (algorithm === "hmac" && material !== undefined) {
    checkSecret(kid, material);
  }
}

function checkSecret(kid: string, secret: Uint8Array): void {
  if (secret.length < SECRET_BYTES_MIN) {
    throw new RangeError(`key ${kid} has ${secret.length} bytes, expected at least ${SECRET_BYTES_MIN}`);
  }
}

function bad(reason: string): SignatureCheck {
  return { kind: "bad", reason };
}

/**
 * A name as people see it: without case and punctuation, with letters for the digits that look like them, and with i
 * and l as one, because a capital i looks like an l.
 */
function likeness(actor: string): string {
  return actor.toLowerCase().replace(/[._-]/g, "").replace(/0/g, "o").replace(/[1i]/g, "l");
}
