import { basename, dirname, join } from "node:path";
import { Withheld } from "./guard.js";
import { hasCode } from "./guarded-files.js";
import { randomTag } from "./claim-token.js";
import type { Hive } from "./hive.js";
import { fileNameOf } from "./layout.js";
import { formatInstant, instantOfMillis } from "./time.js";

const TOLD_EVERY_MS = 60_000;
const BYTES_MAX = 256 * 1024;
const TAG_LENGTH = 8;

/** What a note says: when the log was told, and how many refusals there were since. */
interface Note {
  readonly toldMs: number;
  readonly count: number;
}

/**
 * Counts that `domain` refused a sender for its own doing, and tells the log of the first at once, then once a minute how
 * many there were. A note for each sender has a line with when the log was told and why, and a dot for each refusal
 * since; whoever renames it away tells what it counts. Losing it is harmless, and nothing about it stops anybody.
 */
export function countRefusal(hive: Hive, domain: string, sender: string, reason: string): void {
  const { files, layout } = hive;
  const file = join(layout.state(domain), "refused", fileNameOf(sender));
  const now = hive.clock();
  try {
    const note = noteIn(hive, file);
    if (note !== undefined && note.toldMs <= now && now < note.toldMs + TOLD_EVERY_MS) {
      count(hive, file);
      return;
    }
    const taken = files.stat(file) === undefined ? { toldMs: now, count: 0 } : take(hive, file);
    if (taken === undefined || !isBegun(hive, file, `${now} ${reason}\n`)) {
      // Another process tells this moment.
      count(hive, file);
      return;
    }
    const since = formatInstant(instantOfMillis(taken.count === 0 ? now : taken.toldMs));
    hive.tell("sender_refused", "Ops", { sender, inbox: domain, count: taken.count + 1, since, reason });
  } catch (e) {
    if (e instanceof Withheld) {
      throw e;
    }
    hive.trouble(`refusals of ${sender} at ${domain}`, e);
  }
}

function noteIn(hive: Hive, file: string): Note | undefined {
  try {
    const text = hive.files.read(file, BYTES_MAX + 1)?.toString("utf8");
    const [, millis, dots] = /^(\d{1,15}) .*\n(\.*)$/.exec(text ?? "") ?? [];
    return millis === undefined ? undefined : { toldMs: Number(millis), count: dots.length };
  } catch (e) {
    if (e instanceof Withheld) {
      throw e;
    }
    return undefined;
  }
}

function count(hive: Hive, file: string): void {
  const stat = hive.files.stat(file);
  if (stat?.isFile() === true && stat.size < BYTES_MAX) {
    hive.files.appendBytes(file, Buffer.from("."));
  }
}

/** Takes the note away, and reads it; undefined if another process was faster. */
function take(hive: Hive, file: string): Note | undefined {
  const aside = join(dirname(file), `.${basename(file)}.${randomTag(TAG_LENGTH)}`);
  try {
    hive.files.rename(file, aside);
  } catch (e) {
    if (hasCode(e, "ENOENT")) {
      return undefined;
    }
    throw e;
  }
  const note = noteIn(hive, aside);
  hive.files.remove(aside);
  return note ?? { toldMs: 0, count: 0 };
}

/** Only who makes the note tells. */
function isBegun(hive: Hive, file: string, line: string): boolean {
  hive.files.createFolder(dirname(file));
  try {
    hive.files.create(file, Buffer.from(line));
    return true;
  } catch (e) {
    if (hasCode(e, "EEXIST")) {
      return false;
    }
    throw e;
  }
}
