import { basename, dirname, join } from "node:path";
import { addressOf } from "./address.js";
import { admit, isOfLastMinute, LOOP_PER_MINUTE_MAX, SenderTraffic, type Admission, type Cause } from "./backpressure.js";
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
/** Beyond this, or twice its size after it was last cleared, a ledger is cleared. Its first line says it if much was left. */
const CLEARING_BYTES_MIN = 64 * 1024;
const CLEARED_LINE = /^cleared (\d{1,15})\n/;
const FIRST_LINE_BYTES_MAX = 32;
/** No line of a ledger is shorter: so many bytes are at most so many envelopes. */
const LINE_BYTES_MIN = 34;
/** A ledger is read from its end, until a line is this old. Several clocks may have written the lines. */
const TAIL_BYTES = 16 * 1024;
const TAIL_AGE_MS = 120_000;
/** What a program counted is believed by all others for a second. A count of fewer is as quickly made as read. */
const COUNT_FRESH_MS = 1_000;
const COUNT_SHARED_MIN = 256;
const COUNT_LINE_BYTES_MAX = 64;
const COUNTS_BYTES_MAX = 64 * 1024;
const COUNT_LINE = /(?:^|\n)(\d{1,15}) (\d{1,9}) (?:-|\d{1,15})\??\n$/;
const TAG_LENGTH = 8;

/** A line of a ledger: milliseconds, id, class, hops. */
const LEDGER_LINE = /^(\d{1,15}) (\S+) (P[0-3]) (\d{1,9})$/;

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
    const traffic = this.traffic(domain, from);
    const waiting = this.waiting(domain, from, config.sender.waitingMax);
    const sent = traffic.perMinute(now);
    const answers = sent < LOOP_PER_MINUTE_MAX ? 0 : this.answersOf(domain, from);
    const objection = traffic.admit(mail.env, waiting, answers, config.sender, now);
    if (objection.kind === "refused") {
      return objection;
    }
    const depth = this.depth(domain);
    // The age of the oldest is known to readers, who leave the mark.
    return admit(mail.env.priority, domain, this.held(domain), { depth, oldestAge: 0 }, sent, config.backpressure);
  }

  /** Notes an envelope that has come in, or was put aside. */
  delivered(domain: string, { env }: Mail): void {
    const line = `${this.hive.clock()} ${env.id} ${env.priority} ${env.hops}\n`;
    const file = this.hive.layout.ledger(domain, env.from);
    try {
      this.hive.files.append(file, Buffer.from(line), { sync: false });
      const size = this.hive.files.sizeOf(file) ?? 0;
      if (size > CLEARING_BYTES_MIN && size > 2 * this.clearedSize(file)) {
        this.clear(file, domain, env.from);
      }
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      // A count that is lost makes us lenient for once.
    }
  }

  /** How long a ledger was when somebody last cleared it; 0 if nobody said so. */
  private clearedSize(file: string): number {
    const first = this.hive.files.readPart(file, 0, FIRST_LINE_BYTES_MAX)?.toString("latin1") ?? "";
    return Number(CLEARED_LINE.exec(first)?.[1] ?? 0);
  }

  /** Keeps what is younger than a minute or still waits. A line that is added meanwhile may be lost. */
  private clear(file: string, domain: string, sender: string): void {
    const names = new Set(this.hive.files.list(this.hive.layout.inbox(domain)));
    const now = instantOfMillis(this.hive.clock());
    const kept = this.linesOf(domain, sender, LEDGER_BYTES_MAX).filter((line) => {
      const [, millis, id] = LEDGER_LINE.exec(line) ?? [];
      return id !== undefined && (isOfLastMinute(instantOfMillis(Number(millis)), now) || names.has(`${id}.md`));
    });
    const draft = join(dirname(file), `.${basename(file)}.${randomTag(TAG_LENGTH)}`);
    const text = kept.map((line) => `${line}\n`).join("");
    const first = 2 * text.length > CLEARING_BYTES_MIN ? `cleared ${text.length}\n` : "";
    this.hive.files.create(draft, Buffer.from(first + text));
    this.hive.files.rename(draft, file);
  }

  /** What the sender put in lately: at least the last minute's. */
  private traffic(domain: string, sender: string): SenderTraffic {
    const oldest = this.hive.clock() - TAIL_AGE_MS;
    for (let bytes = TAIL_BYTES; ; bytes *= 2) {
      const sent = this.linesOf(domain, sender, bytes).flatMap((line) => {
        const [, millis, id, priority, hops] = LEDGER_LINE.exec(line) ?? [];
        // A torn line: as if it had been lost.
        return id !== undefined && isId(id) ? [{ millis: Number(millis), priority: priority as Priority, hops: Number(hops) }] : [];
      });
      const isEnough = sent[0] !== undefined && sent[0].millis < oldest;
      if (isEnough || bytes >= Math.min(this.sizeOf(domain, sender), LEDGER_BYTES_MAX)) {
        const traffic = new SenderTraffic();
        sent.forEach(({ millis, priority, hops }) => traffic.add(instantOfMillis(millis), priority, hops));
        return traffic;
      }
    }
  }

  /** How many of the sender's envelopes wait; below `max` only an upper bound, so that it costs nothing. */
  private waiting(domain: string, sender: string, max: number): number {
    const bound = Math.floor(this.sizeOf(domain, sender) / LINE_BYTES_MIN);
    if (bound < max) {
      return bound;
    }
    const ids = new Set(this.linesOf(domain, sender, LEDGER_BYTES_MAX).flatMap((line) => LEDGER_LINE.exec(line)?.[2] ?? []));
    if (ids.size < max) {
      return ids.size;
    }
    const names = new Set(this.hive.files.list(this.hive.layout.inbox(domain)));
    return [...ids].filter((id) => names.has(`${id}.md`)).length;
  }

  /** How many wait in an inbox, as somebody counted within the last second. */
  private depth(domain: string): number {
    const file = join(this.hive.layout.state(domain), "depth");
    const now = this.hive.clock();
    const [, millis, known] = COUNT_LINE.exec(this.lenient(() => this.hive.files.readTail(file, COUNT_LINE_BYTES_MAX))) ?? [];
    if (known !== undefined && now >= Number(millis) && now - Number(millis) < COUNT_FRESH_MS) {
      return Number(known);
    }
    const names = this.hive.files.list(this.hive.layout.inbox(domain));
    const depth = names.filter((name) => name.endsWith(".md") && isId(name.slice(0, -3))).length;
    if (depth >= COUNT_SHARED_MIN) {
      this.lenient(() => {
        this.hive.files.append(file, Buffer.from(`${now} ${depth} -?\n`), { sync: false });
        if ((this.hive.files.sizeOf(file) ?? 0) > COUNTS_BYTES_MAX) {
          this.hive.files.remove(file);
        }
        return undefined;
      });
    }
    return depth;
  }

  private sizeOf(domain: string, sender: string): number {
    let size = 0;
    this.lenient(() => {
      size = this.hive.files.sizeOf(this.hive.layout.ledger(domain, sender)) ?? 0;
      return undefined;
    });
    return size;
  }

  /** The whole lines among the last bytes of a ledger. */
  private linesOf(domain: string, sender: string, bytesMax: number): string[] {
    const file = this.hive.layout.ledger(domain, sender);
    const text = this.lenient(() => this.hive.files.readTail(file, bytesMax));
    // A part mostly begins within a line.
    return (this.sizeOf(domain, sender) <= bytesMax ? text : text.slice(text.indexOf("\n") + 1)).split("\n");
  }

  /** What was read, as text; nothing if it is missing or something is wrong with it. */
  private lenient(read: () => Buffer | undefined): string {
    try {
      return read()?.toString("latin1") ?? "";
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      return "";
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
      .map((own) => this.traffic(own, owner.name).perMinute(this.hive.now()))
      .reduce((sum, count) => sum + count, 0);
  }

  private held(domain: string): Cause | undefined {
    const file = join(this.hive.layout.state(domain), "backpressure");
    const bytes = this.hive.files.read(file, MARK_BYTES_MAX);
    // A mark that is none of ours holds all the same.
    return bytes === undefined ? undefined : /"cause":"depth"/.test(bytes.toString("utf8")) ? "depth" : "age";
  }
}
