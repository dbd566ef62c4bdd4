import { join } from "node:path";
import { ENVELOPE_BYTES_MAX } from "./envelope-text.js";
import { Withheld } from "./guard.js";
import type { Hive } from "./hive.js";
import { Leftovers } from "./leftovers.js";
import { textOf } from "./life.js";
import { Mail } from "./mail.js";
import { MalformedEnvelope } from "./malformed.js";

/** What a file that may be mail turned out to be. */
export type Sight =
  | { readonly kind: "mail"; readonly mail: Mail; readonly ctimeNs: bigint }
  /** Not an envelope now, but it may become one: somebody is writing it. */
  | { readonly kind: "unfinished"; readonly reason: string }
  /** No envelope, and it will not become one. */
  | { readonly kind: "bad"; readonly reason: string }
  /** Somebody was faster. */
  | { readonly kind: "gone" };

/** How long a foreign file must not have changed before it is judged unfinished for good. */
const QUIET_MS_MIN = 5_000n;

/**
 * Looks at a file without being hung, led astray or overwhelmed: only a regular file of an envelope's size is opened.
 */
export function look(hive: Hive, domain: string, file: string): Sight {
  const stat = hive.files.stat(file);
  if (stat === undefined) {
    return { kind: "gone" };
  }
  if (!stat.isFile() || stat.size > ENVELOPE_BYTES_MAX) {
    const reason = stat.isFile()
      ? `found ${stat.size} bytes, expected at most ${ENVELOPE_BYTES_MAX}`
      : "found no regular file, expected one";
    return { kind: "bad", reason };
  }
  const changedMs = stat.ctimeMs > stat.mtimeMs ? stat.ctimeMs : stat.mtimeMs;
  const isQuiet = BigInt(hive.clock()) - changedMs >= QUIET_MS_MIN;
  const flawed = (reason: string): Sight => ({ kind: isQuiet ? "bad" : "unfinished", reason });
  let mail: Mail;
  try {
    const bytes = hive.files.read(file, ENVELOPE_BYTES_MAX);
    if (bytes === undefined) {
      return { kind: "gone" };
    }
    mail = Mail.parse(bytes);
  } catch (e) {
    if (e instanceof Withheld) {
      throw e;
    }
    // What can't be read may be another user's: it stays.
    return e instanceof MalformedEnvelope
      ? flawed(e.message)
      : { kind: "unfinished", reason: `can't be read: ${(e as Error).message}` };
  }
  if (!mail.hashMatches()) {
    return flawed(textOf("wrong-hash"));
  }
  return stat.nlink > 1n && hasForeignNames(hive, domain, file, mail)
    ? { kind: "bad", reason: "the file has other names outside the hive (hard links)" }
    : { kind: "mail", mail, ctimeNs: stat.ctimeNs };
}

/**
 * Whether the file has names besides our own. They come and go, so that only a count that stays the same is believed.
 */
function hasForeignNames(hive: Hive, domain: string, file: string, mail: Mail): boolean {
  for (let before = -1n; ;) {
    const links = hive.files.stat(file)?.nlink ?? 1n;
    if (links === 1n) {
      return false;
    }
    if (links === before) {
      return true;
    }
    const foreign = links - 1n - BigInt(ownNames(hive, domain, file, mail));
    // The archive is the largest room, and asked last.
    if (foreign <= 0n || foreign <= BigInt(new Leftovers(hive).archived(domain, mail.env.id, file).length)) {
      return false;
    }
    before = links;
  }
}

/** How many names of ours the file has besides `file`, but for those in the archive. */
function ownNames(hive: Hive, domain: string, file: string, mail: Mail): number {
  const { files, layout } = hive;
  const { id, hash, from } = mail.env;
  const folders = [join(layout.inbox(domain), ".tmp"), layout.returning(domain)];
  const names = folders.flatMap((folder) => files.list(folder).map((name) => join(folder, name)));
  names.push(
    layout.running(domain, id),
    layout.seenName(domain, id, hash),
    // Whoever parks it, or brings it home, gives it its new name before the old one goes.
    join(layout.parked(from, domain), `${id}.md`),
  );
  names.push(...new Leftovers(hive).ownNames(domain, id, file));
  return names.filter((name) => name !== file && files.isSameFile(name, file)).length;
}
