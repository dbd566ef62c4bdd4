import { lstatSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { parseActor } from "./address.js";
import { Signer, type Algorithm } from "./signature.js";

/** A key of the user's own: a file in the user's configuration folder, outside of any repository. */
interface OwnKey {
  readonly algorithm: Algorithm;
  readonly secret: Uint8Array;
}

/** Signs with the user's own key `kid`, which `rsm keys new` made. Fails if others may read its file. */
export function ownSigner(kid: string): Signer {
  const key = read(kid);
  if (key === undefined) {
    throw new RangeError(`key ${kid}: found no file ${fileOf(kid)}, expected one that rsm keys new made`);
  }
  return key.algorithm === "ed25519" ? Signer.ed25519(kid, key.secret) : Signer.hmac(kid, key.secret);
}

/** The shared secret of the HMAC key `kid`, if it is among the user's own. */
export function ownSecret(kid: string): Uint8Array | undefined {
  const key = read(kid);
  return key?.algorithm === "hmac" ? key.secret : undefined;
}

function fileOf(kid: string): string {
  const xdg = process.env.XDG_CONFIG_HOME;
  // A relative one is to be ignored, says its specification: it would mean another folder in each.
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), ".config");
  return join(base, "pheromone", "keys", `${parseActor(kid)}.key`);
}

function read(kid: string): OwnKey | undefined {
  const file = fileOf(kid);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    return undefined;
  }
  const isOpen = process.platform !== "win32" && (stat.mode & 0o077) !== 0;
  if (!stat.isFile() || isOpen) {
    throw new RangeError(`key file ${file}: expected a regular file that nobody else may read (mode 0600)`);
  }
  const fields = new Map(
    readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.split(": ") as [string, string]),
  );
  const [algorithm, secret] = [fields.get("algorithm"), fields.get("secret") ?? ""];
  if (
    fields.get("kid") !== kid ||
    (algorithm !== "ed25519" && algorithm !== "hmac") ||
    !/^(?:[0-9a-f]{2})+$/.test(secret)
  ) {
    throw new RangeError(`key file ${file}: found something else, expected kid, algorithm and secret`);
  }
  return { algorithm, secret: Buffer.from(secret, "hex") };
}
