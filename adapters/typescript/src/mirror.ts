import { join } from "node:path";
import { domainOf, parseAddress } from "./address.js";
import { Withheld } from "./guard.js";
import type { Hive } from "./hive.js";
import { randomTag } from "./claim-token.js";
import type { Mail } from "./mail.js";

const TAG_LENGTH = 8;

/** The outcome of work, as whoever settles a claim says it. */
export type Outcome = "done" | "error" | "released";

/**
 * Keeps `mail` in the safe mirror, as one file however many it is for, until a person releases it. Answers with where it
 * is, "conflict", or undefined if the mirror is locked, too.
 */
export function keepMail(hive: Hive, mail: Mail): string | undefined {
  const { files, layout } = hive;
  const { scheme, name } = parseAddress(mail.env.to[0]);
  const folder = join(layout.mirror, "inbox", `${scheme}-${name.toLowerCase()}`);
  const file = `${mail.env.id}.md`;
  return unlessLocked(() => {
    // What is secret in the hive is secret here: an inbox that may not be read has no mirror.
    for (const address of mail.env.to) {
      files.require(join(layout.mirror, "inbox", domainOf(parseAddress(address)), file), "write");
    }
    hive.prepareMirror();
    const published = files.publish(folder, file, `${mail.env.id}.${randomTag(TAG_LENGTH)}`, mail.bytes);
    const isOther = published === "taken" && hive.compare(mail, join(folder, file)) === "other";
    return isOther ? "conflict" : layout.nameOf(join(folder, file));
  });
}

/** Keeps how work ended, until the lock is gone; the first that is said of a claim counts. */
export function keepOutcome(
  hive: Hive,
  domain: string,
  claim: string,
  outcome: Outcome,
  note: string,
): string | undefined {
  const { files, layout } = hive;
  const folder = join(layout.outcomes(), domain);
  const at = new Date(hive.clock()).toISOString();
  const content = { claim, status: outcome, note, by: hive.self, at };
  return unlessLocked(() => {
    hive.prepareMirror();
    files.publish(folder, claim, randomTag(TAG_LENGTH), Buffer.from(`${JSON.stringify(content)}\n`));
    return layout.nameOf(join(folder, claim));
  });
}

function unlessLocked<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (e) {
    if (e instanceof Withheld) {
      return undefined;
    }
    throw e;
  }
}
