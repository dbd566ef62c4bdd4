import { createHash } from "node:crypto";

const HASH = /^sha256[:-]([0-9a-f]{64})$/;

/** The SHA-256 of `bytes`, in hexadecimal digits. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The hash that a header gives for a body, as we write it: `sha256:` and 64 digits. */
export function parseHash(text: string): string {
  const digits = HASH.exec(text);
  if (digits === null) {
    throw new RangeError(`found "${text}", expected sha256: and 64 hexadecimal digits`);
  }
  return `sha256:${digits[1]}`;
}
