import { lstatSync, readdirSync, readFileSync, type BigIntStats } from "node:fs";
import { join, relative } from "node:path";
import { mapOf, text } from "./config.js";
import { parseHash } from "./hash.js";
import { LockPattern } from "./lock-pattern.js";
import { parseInstant, SECOND, type Instant } from "./time.js";
import { MalformedYaml, parseYaml, YAML_BYTES_MAX, type Yaml } from "./yaml.js";

/** The locks that people set, strongest first: each forbids what the ones after it forbid, too. */
export const LOCK_KINDS = ["dnr", "do-not-alter", "do-not-erase"] as const;
export type LockKind = (typeof LOCK_KINDS)[number];

/** What somebody wants to do; erasing is also truncating, overwriting and moving away. */
export type Access = "read" | "write" | "erase";

/** The folder of each kind of lock list. */
const FOLDERS: Record<LockKind, string> = {
  dnr: "do-not-read",
  "do-not-alter": "do-not-alter",
  "do-not-erase": "do-not-erase",
};
const FILES_MAX = 1000;

/** A lock that stands against something. */
export interface Lock {
  readonly kind: LockKind;
  /** What events name: the list, or `rotg-2`, `policy_guard` or `uncertain`. */
  readonly source: string;
  /** Relative to the hive root. */
  readonly declaredIn: string;
  readonly reason: string;
}

/** One entry of a lock list. */
export interface LockEntry extends Lock {
  readonly pattern?: LockPattern;
  /** The content that it covers wherever that lies, as `sha256:` and digits. */
  readonly hash?: string;
  readonly expires?: Instant;
}

export function forbids(kind: LockKind, access: Access): boolean {
  return kind === "dnr" || access === "erase" || (kind === "do-not-alter" && access === "write");
}

/** The lock lists below a folder, and everything that was looked at, as it was before. */
export interface LockLists {
  readonly entries: readonly LockEntry[];
  readonly watched: readonly { readonly path: string; readonly stat: BigIntStats }[];
}

/**
 * Reads every list. One that can't be read or understood locks everything, for it could have said so; so does a
 * failure.
 */
export function readLockLists(root: string, base: string, normal: (name: string) => string): LockLists {
  const entries: LockEntry[] = [];
  const watched: { path: string; stat: BigIntStats }[] = [];
  for (const kind of LOCK_KINDS) {
    const folder = join(base, FOLDERS[kind]);
    for (const file of listed(folder)) {
      const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (stat === undefined) {
        continue;
      }
      watched.push({ path: file, stat });
      if (file === folder && stat.isDirectory()) {
        continue;
      }
      const declaredIn = relative(root, file).replaceAll("\\", "/");
      try {
        if (file === folder) {
          throw new RangeError("found no folder, expected one");
        }
        entries.push(...readList(file, stat, kind, declaredIn, normal));
      } catch (e) {
        const reason = `what ${declaredIn} covers is unclear: ${(e as Error).message}`;
        entries.push({ kind: "dnr", source: declaredIn, declaredIn, reason, pattern: new LockPattern("**") });
      }
    }
  }
  return { entries, watched };
}

/** The folder itself and what is in it. */
function listed(folder: string): string[] {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory()) {
    return [folder];
  }
  const names = readdirSync(folder);
  if (names.length > FILES_MAX) {
    throw new RangeError(`${folder}: found ${names.length} lists, expected at most ${FILES_MAX}`);
  }
  return [folder, ...names.map((name) => join(folder, name))];
}

function readList(
  file: string,
  stat: BigIntStats,
  kind: LockKind,
  declaredIn: string,
  normal: (name: string) => string,
): LockEntry[] {
  if (!stat.isFile() || stat.size > BigInt(YAML_BYTES_MAX)) {
    throw new MalformedYaml(1, `expected a file of at most ${YAML_BYTES_MAX} bytes`);
  }
  const root = parseYaml(readFileSync(file));
  const items = Array.isArray(root) ? root : root === null ? [] : [root];
  return items.map((item) => entryOf(item, kind, declaredIn, normal));
}

function entryOf(item: Yaml, kind: LockKind, declaredIn: string, normal: (name: string) => string): LockEntry {
  if (typeof item === "string") {
    return entryOf(new Map([["path_pattern", item]]), kind, declaredIn, normal);
  }
  // Keys that are not known could only say more about why: they never make a lock smaller.
  const fields = mapOf(item);
  const [pattern, hash, expires] = ["path_pattern", "hash", "expires"].map((key) => text(fields, key));
  if (!pattern && hash === undefined) {
    throw new MalformedYaml(1, "found neither path_pattern nor hash, expected one of them");
  }
  return {
    kind,
    source: declaredIn,
    declaredIn,
    reason: text(fields, "reason") || `${pattern || hash} is locked`,
    pattern: pattern ? new LockPattern(normal(pattern)) : undefined,
    hash: hash === undefined ? undefined : parseHash(hash),
    expires: expires === undefined ? undefined : parseExpires(expires),
  };
}

/** A time, or a day, which counts to its end. */
function parseExpires(given: string): Instant {
  return /^\d{4}-\d\d-\d\d$/.test(given) ? parseInstant(`${given}T00:00:00Z`) + 86_400n * SECOND : parseInstant(given);
}
