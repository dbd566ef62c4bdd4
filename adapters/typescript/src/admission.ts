import { basename, dirname, join } from "node:path";
import { addressOf } from "./address.js";
import { admit, LOOP_PER_MINUTE_MAX, SenderTraffic, type Admission, type Cause } from "./backpressure.js";
import type { HiveConfig } from "./config.js";
import type { Priority } from "./envelope.js";
import { Withheld } from "./guard.js";
import { randomTag } from "./claim-token.js";
import type { Hive } from "./hive.js";
import { isId } from "./id.js";
import type { Mail } from "./mail.js";
import { fileNameOf } from "./layout.js";
import { instantOfMillis } from "./time.js";

const MARK_BYTES_MAX = 1_024;
const LEDGER_BYTES_MAX = 8 * 1024 * 1024;
/** Beyond this a ledger is cleared of what does not count any more. */
const CLEARING_BYTES_MIN = 64 * 1024;
const TAG_LENGTH = 8;
const MINUTE_MS = 60_000;

/** A line of a ledger: milliseconds, id, class, hops. */
const LEDGER_LINE = /^(\d{1,15}) (\S+) (P[0-3]) (\d{1,9})$/;

/** What one sender put into one inbox, as the ledger says: the traffic, and the ids of what may still wait. */
interface Ledger {
  readonly traffic: SenderTraffic;
  readonly ids: ReadonlySet<string>;
}

/**
 * Whether an inbox takes one more envelope now. It reads the mark of backpressure but neither makes nor removes it;
 * senders are counted in the hive's ledgers, which all programs share. Losing those is harmless, and whatever goes wrong
 * with them stops no mail.
 */
export class Admissions {
  constructor(private readonly hive: Hive) {}

  ask(domain: string, mail: Mail, config: HiveConfig): Admission {
    const { from } = mail.env;
    const now = this.hive.now();
    const { traffic, ids } = this.ledger(domain, from);
    const names = new Set(this.hive.files.list(this.hive.layout.inbox(domain)));
    const waiting = [...ids].filter((id) => names.has(`${id}.md`)).length;
    const sent = traffic.perMinute(now);
    const answers = sent < LOOP_PER_MINUTE_MAX ? 0 : this.answersOf(domain, from);
    const objection = traffic.admit(mail.env, waiting, answers, config.sender, now);
    if (objection.kind === "refused") {
      return objection;
    }
    const depth = [...names].filter((name) => name.endsWith(".md") && isId(name.slice(0, -3))).length;
    // The age of the oldest is known to readers, who leave the mark.
    return admit(mail.env.priority, domain, this.held(domain), { depth, oldestAge: 0 }, sent, config.backpressure);
  }

  /** Notes an envelope that has come in, or was put aside. */
  delivered(domain: string, { env }: Mail): void {
    const line = `${this.hive.clock()} ${env.id} ${env.priority} ${env.hops}\n`;
    const file = this.hive.layout.ledger(domain, env.from);
    try {
      this.hive.files.append(file, Buffer.from(line), { sync: false });
      if ((this.hive.files.stat(file)?.size ?? 0n) > CLEARING_BYTES_MIN) {
        this.clear(file, domain, env.from);
      }
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      // A count that is lost makes us lenient for once.
    }
  }

  /** Keeps what is younger than a minute or still waits. A line that is added meanwhile may be lost. */
  private clear(file: string, domain: string, sender: string): void {
    const names = new Set(this.hive.files.list(this.hive.layout.inbox(domain)));
    const oldest = this.hive.clock() - MINUTE_MS;
    const kept = this.linesOf(domain, sender).filter((line) => {
      const [, millis, id] = LEDGER_LINE.exec(line) ?? [];
      return id !== undefined && (Number(millis) > oldest || names.has(`${id}.md`));
    });
    const draft = join(dirname(file), `.${basename(file)}.${randomTag(TAG_LENGTH)}`);
    this.hive.files.create(draft, Buffer.from(kept.map((line) => `${line}\n`).join("")));
    this.hive.files.rename(draft, file);
  }

  private ledger(domain: string, sender: string): Ledger {
    const traffic = new SenderTraffic();
    const ids = new Set<string>();
    for (const line of this.linesOf(domain, sender)) {
      const [, millis, id, priority, hops] = LEDGER_LINE.exec(line) ?? [];
      // A torn line: as if it had been lost.
      if (id !== undefined && isId(id)) {
        traffic.add(instantOfMillis(Number(millis)), priority as Priority, Number(hops));
        ids.add(id);
      }
    }
    return { traffic, ids };
  }

  private linesOf(domain: string, sender: string): string[] {
    try {
      const bytes = this.hive.files.read(this.hive.layout.ledger(domain, sender), LEDGER_BYTES_MAX);
      return bytes === undefined ? [] : bytes.toString("latin1").split("\n");
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      return [];
    }
  }

  /** How many the owner of an inbox put into the sender's own inboxes in the last minute. */
  private answersOf(domain: string, sender: string): number {
    const owner = addressOf(domain);
    const name = fileNameOf(sender);
    if (owner.scheme === "queen" || owner.name === name) {
      return 0;
    }
    return [`user-${name}`, `worker-${name}`]
      .map((own) => this.ledger(own, owner.name).traffic.perMinute(this.hive.now()))
      .reduce((sum, count) => sum + count, 0);
  }

  private held(domain: string): Cause | undefined {
    const file = join(this.hive.layout.state(domain), "backpressure");
    const bytes = this.hive.files.read(file, MARK_BYTES_MAX);
    // A mark that is none of ours holds all the same.
    return bytes === undefined ? undefined : /"cause":"depth"/.test(bytes.toString("utf8")) ? "depth" : "age";
  }
}
