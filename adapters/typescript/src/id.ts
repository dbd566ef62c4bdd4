import { createHash, randomBytes } from "node:crypto";
import { sha256 } from "./hash.js";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ULID_BYTES = 16;

/** Whether `text` is an envelope's id: a ULID in upper case or a UUID in lower case. It becomes a file name. */
export function isId(text: string): boolean {
  // Of JavaScript's patterns `$` means the very end, without the m flag.
  return ULID.test(text) || UUID.test(text);
}

export function parseId(text: string): string {
  if (!isId(text)) {
    throw new RangeError(`found "${text}", expected a ULID in upper case or a UUID in lower case`);
  }
  return text;
}

/** A new ULID of the time `millis`. */
export function newId(millis: number): string {
  const bytes = randomBytes(ULID_BYTES);
  bytes.writeUIntBE(millis, 0, 6);
  return ulidOf(bytes);
}

/**
 * The id of the one reply to `request` that work on its copy in the inbox `domain` makes: the same each time, so that
 * work done again after a crash can't answer twice.
 */
export function replyId(request: string, domain: string): string {
  const digest = createHash("sha256").update(`RSM-REPLY-v1\n${domain}\n${request}\n`).digest();
  return ulidOf(digest.subarray(0, ULID_BYTES));
}

/** The folder of `seen/<domain>/` that `id` belongs into. */
export function seenFolder(id: string): string {
  return sha256(id).slice(0, 2);
}

/** 26 characters hold 130 bits: the first two are zero, so that the first character is at most 7. */
function ulidOf(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let i = 0; i < 26; i++) {
    text = CROCKFORD[Number(number & 31n)] + text;
    number >>= 5n;
  }
  return text;
}
