import { join } from "node:path";
import { addressOf } from "./address.js";
import { admit, SenderTraffic, type Admission, type Cause } from "./backpressure.js";
import type { HiveConfig } from "./config.js";
import { ENVELOPE_BYTES_MAX } from "./envelope-text.js";
import { Withheld } from "./guard.js";
import type { Hive } from "./hive.js";
import { Mail } from "./mail.js";
import { fileNameOf } from "./layout.js";

const MARK_BYTES_MAX = 1_024;

/**
 * Whether an inbox takes one more envelope now. It reads the mark of backpressure but neither makes nor removes it, and
 * knows the rate of what this process sent alone.
 */
export class Admissions {
  private readonly traffic = new Map<string, SenderTraffic>();

  constructor(private readonly hive: Hive) {}

  ask(domain: string, mail: Mail, config: HiveConfig): Admission {
    const names = this.hive.files.list(this.hive.layout.inbox(domain)).filter((name) => name.endsWith(".md"));
    const waiting = names.length < config.sender.waitingMax ? 0 : this.waitingOf(domain, names, mail.env.from);
    const objection = this.trafficOf(mail.env.from, domain).admit(
      mail.env,
      waiting,
      this.answersOf(domain, mail.env.from),
      config.sender,
      this.hive.now(),
    );
    // The age of the oldest is known to readers, who leave the mark.
    const load = { depth: names.length, oldestAge: 0 };
    return objection.kind === "refused"
      ? objection
      : admit(mail.env.priority, domain, this.held(domain), load, config.backpressure);
  }

  delivered(domain: string, { env }: Mail): void {
    this.trafficOf(env.from, domain).add(this.hive.now(), env.priority, env.hops);
  }

  private trafficOf(sender: string, domain: string): SenderTraffic {
    const key = `${fileNameOf(sender)} ${domain}`;
    const known = this.traffic.get(key) ?? new SenderTraffic();
    this.traffic.set(key, known);
    return known;
  }

  /** How many the owner of an inbox put into the sender's own inboxes in the last minute. */
  private answersOf(domain: string, sender: string): number {
    const owner = addressOf(domain);
    if (owner.scheme === "queen") {
      return 0;
    }
    const name = fileNameOf(sender);
    return [`user-${name}`, `worker-${name}`]
      .map((own) => this.trafficOf(owner.name, own).perMinute(this.hive.now()))
      .reduce((sum, count) => sum + count, 0);
  }

  private waitingOf(domain: string, names: string[], sender: string): number {
    return names.filter((name) => {
      try {
        const bytes = this.hive.files.read(join(this.hive.layout.inbox(domain), name), ENVELOPE_BYTES_MAX);
        return bytes !== undefined && Mail.parse(bytes).env.from === sender;
      } catch (e) {
        if (e instanceof Withheld) {
          throw e;
        }
        return false;
      }
    }).length;
  }

  private held(domain: string): Cause | undefined {
    const file = join(this.hive.layout.state(domain), "backpressure");
    const bytes = this.hive.files.read(file, MARK_BYTES_MAX);
    // A mark that is none of ours holds all the same.
    return bytes === undefined ? undefined : /"cause":"depth"/.test(bytes.toString("utf8")) ? "depth" : "age";
  }
}
