import { join } from "node:path";
import { parseAddress } from "./address.js";
import { domainsOf, type HiveConfig } from "./config.js";
import { ENVELOPE_BYTES_MAX } from "./envelope-text.js";
import type { Envelope } from "./envelope.js";
import { Withheld } from "./guard.js";
import type { Hive } from "./hive.js";
import { Mail } from "./mail.js";
import { answerAddresses, askedBy, lookAt, type QuestionState, type StoredAnswer } from "./question.js";
import { MILLI, parseInstant, SECOND, type Instant } from "./time.js";

/** How far the clock of an asker on another machine may be ahead of this one. */
const CLOCK_SKEW = 600n * SECOND;
const DAY_LENGTH = "2025-10-15".length;
const ENDS = ["done", "expired", "dead"] as const;

type Place = { readonly path: string; readonly isExpired: boolean };

/** The answers to questions, as they are stored in one hive. */
export class Answers {
  constructor(private readonly hive: Hive) {}

  /** What a question has come to; undefined if it asks nothing. */
  look(question: Envelope): QuestionState | undefined {
    const config = this.hive.config();
    const trust = this.hive.trust();
    const found = new Map<string, StoredAnswer>();
    const domains = answerAddresses(question).flatMap((address) => domainsOf(config, parseAddress(address)));
    for (const domain of domains) {
      for (const place of this.places(domain, new Date(Number((parseInstant(question.ts) - CLOCK_SKEW) / MILLI)))) {
        const mail = this.read(place.path);
        const text = mail?.env.answer;
        if (mail === undefined || text === undefined || mail.env.correlation_id !== question.id) {
          continue;
        }
        const storedAt = this.storedAt(domain, mail.env.id, place);
        const key = `${mail.env.id} ${mail.env.hash}`;
        // The same mail may be met again where it went meanwhile.
        if (storedAt !== undefined && !found.has(key)) {
          found.set(key, {
            id: mail.env.id,
            from: mail.env.from,
            text,
            storedAt,
            hashMatches: mail.hashMatches(),
            check: trust.check(mail, storedAt, config.signatures),
            hasTaken: this.hasTaken(question, mail.env.from, config),
          });
        }
      }
    }
    return lookAt(question, [...found.values()], (actor, at) => trust.hasKey(actor, at), this.hive.now());
  }

  /** The envelope of an id, wherever a copy of it is in its life. */
  find(id: string): Envelope | undefined {
    const { files, layout } = this.hive;
    for (const folder of ["inbox", "active", "archive"]) {
      for (const domain of files.list(join(layout.hive, folder))) {
        const of = join(layout.hive, folder, domain);
        const folders =
          folder === "archive"
            ? files.list(of).flatMap((state) => files.list(join(of, state)).map((day) => join(of, state, day)))
            : [of];
        for (const path of folders.flatMap((one) => this.mailIn(one))) {
          const found = path.includes(`${id}.`) ? this.read(path) : undefined;
          if (found?.env.id === id) {
            return found.env;
          }
        }
      }
    }
    return undefined;
  }

  /** In the order in which mail moves on: what goes on meanwhile is met there. */
  private places(domain: string, since: Date): Place[] {
    const { files, layout } = this.hive;
    const open = [layout.inbox(domain), layout.active(domain)].flatMap((folder) => this.mailIn(folder));
    const oldest = since.toISOString().slice(0, DAY_LENGTH);
    const ended = ENDS.flatMap((state) => {
      const days = join(layout.hive, "archive", domain, state);
      return files
        .list(days)
        .filter((day) => day >= oldest)
        .flatMap((day) => this.mailIn(join(days, day)))
        .map((path) => ({ path, isExpired: state === "expired" }));
    });
    return [...open.map((path) => ({ path, isExpired: false })), ...ended];
  }

  private mailIn(folder: string): string[] {
    return this.hive.files
      .list(folder)
      .filter((name) => name.endsWith(".md") && !name.startsWith("."))
      .map((name) => join(folder, name));
  }

  /** The mail of a file; undefined if it is none, or went on its way. */
  private read(path: string): Mail | undefined {
    try {
      const bytes = this.hive.files.read(path, ENVELOPE_BYTES_MAX);
      return bytes === undefined ? undefined : Mail.parse(bytes);
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      return undefined;
    }
  }

  private storedAt(domain: string, id: string, { path, isExpired }: Place): Instant | undefined {
    const told = this.hive.history.firstTold(domain, id);
    const stat = told === undefined ? this.hive.files.stat(path) : undefined;
    if (stat === undefined) {
      return told;
    }
    // A file that expired was renamed since, which changes its ctime.
    return isExpired && stat.mtimeNs < stat.ctimeNs ? stat.mtimeNs : stat.ctimeNs;
  }

  private hasTaken(question: Envelope, actor: string, config: HiveConfig): boolean {
    return askedBy(question)
      .map(parseAddress)
      .filter(({ scheme }) => scheme === "queen" || scheme === "lane")
      .flatMap((address) => domainsOf(config, address))
      .some((domain) => this.hive.history.hasClaimed(domain, question.id, actor));
  }
}
