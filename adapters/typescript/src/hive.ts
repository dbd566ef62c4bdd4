import { join } from "node:path";
import { addressOf, formatAddress, parseAddress } from "./address.js";
import { domainsOf, parseConfig, parseTrust, type HiveConfig } from "./config.js";
import type { Envelope } from "./envelope.js";
import { ENVELOPE_BYTES_MAX } from "./envelope-text.js";
import { Guard, Withheld } from "./guard.js";
import { GuardedFiles } from "./guarded-files.js";
import { History } from "./history.js";
import { type Durability, JsonlEmitter } from "./jsonl-emitter.js";
import type { JsonObject } from "./json.js";
import { Layout } from "./layout.js";
import { textOf } from "./life.js";
import type { Lock } from "./locks.js";
import { Mail } from "./mail.js";
import type { RseReading } from "./rse.js";
import type { TrustList } from "./signature.js";
import { instantOfMillis, type Instant } from "./time.js";
import { YAML_BYTES_MAX } from "./yaml.js";

/** Mail is for an inbox that the hive does not have. */
export class NoSuchInbox extends Error {
  constructor(address: string, domains: readonly string[]) {
    super(
      `${address} has no inbox here, expected one of ${domains.map((domain) => formatAddress(addressOf(domain))).join(", ")}`,
    );
    this.name = "NoSuchInbox";
  }
}

type Event = Parameters<JsonlEmitter["append"]>[0];

const HOUR_MS = 3_600_000;

/** The parts of a hive on disk, joined, as one actor uses them. */
export class Hive {
  readonly layout: Layout;
  readonly guard: Guard;
  readonly files: GuardedFiles;
  readonly history: History;
  readonly log: JsonlEmitter;
  /** Troubles that changed nothing about what was done, such as an event log that can't be written. */
  readonly problems: string[] = [];

  private readonly mirrorLog: JsonlEmitter;
  private met?: { lock: Lock; toldMs: number };

  constructor(
    root: string,
    readonly self: string,
    readonly clock: () => number,
    private readonly secrets: (kid: string) => Uint8Array | undefined,
  ) {
    this.layout = new Layout(root);
    this.guard = new Guard(root, () => instantOfMillis(clock()));
    this.files = new GuardedFiles(this.guard);
    this.history = new History(this.files, this.layout, self);
    this.log = new JsonlEmitter(this.files, this.layout.log, clock);
    this.mirrorLog = new JsonlEmitter(this.files, this.layout.mirrorLog, clock);
  }

  now(): Instant {
    return instantOfMillis(this.clock());
  }

  /** What `hive.yaml` says now. */
  config(): HiveConfig {
    return this.parsed(this.layout.config, parseConfig);
  }

  /** Whom the hive trusts now: read anew each time, so that a key that was revoked is not good for a moment longer. */
  trust(): TrustList {
    return this.parsed(this.layout.trust, (bytes) => parseTrust(bytes, this.secrets));
  }

  /** What a file of the hive's own says; an empty one if there is none. */
  private parsed<T>(file: string, parse: (bytes: Uint8Array) => T): T {
    const bytes = this.files.read(file, YAML_BYTES_MAX) ?? new Uint8Array();
    try {
      return parse(bytes);
    } catch (e) {
      throw new RangeError(`${this.layout.nameOf(file)}: ${(e as Error).message}`);
    }
  }

  domains(config: HiveConfig): string[] {
    const folders = this.files.list(`${this.layout.hive}/inbox`).filter((name) => this.hasInbox(name, config));
    return [...new Set([...folders, ...config.domains.keys()])].sort();
  }

  hasInbox(domain: string, config: HiveConfig): boolean {
    const isName = /^[a-z0-9][a-z0-9_-]*$/.test(domain);
    return isName && (config.domains.has(domain) || this.files.stat(this.layout.inbox(domain))?.isDirectory() === true);
  }

  /** The inboxes that `to` means. */
  resolve(to: readonly string[], config: HiveConfig): string[] {
    const domains = to.flatMap((address) => {
      const meant = domainsOf(config, parseAddress(address));
      if (!meant.every((domain) => this.hasInbox(domain, config))) {
        throw new NoSuchInbox(address, this.domains(config));
      }
      return meant;
    });
    return [...new Set(domains)];
  }

  isAddressed(to: readonly string[], domain: string, config: HiveConfig): boolean {
    return to.some((address) => domainsOf(config, parseAddress(address)).includes(domain));
  }

  /** How the file at `path` compares with `mail`; undefined if it is gone. */
  compare(mail: Mail, path: string): "same" | "other" | undefined {
    try {
      const bytes = this.files.read(path, ENVELOPE_BYTES_MAX);
      if (bytes === undefined) {
        return undefined;
      }
      if (!Mail.parse(bytes).isSameMailAs(mail)) {
        return "other";
      }
      // Whoever sent it first may not have come so far as to force it to the disk.
      return this.files.force(path) ? "same" : undefined;
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      return "other";
    }
  }

  /**
   * What is wrong with the file, if it is a part of an envelope, as a power cut leaves it: nobody was told that such a
   * file arrived. Whoever edits mail that waits makes one, too. Undefined for what is whole, gone, or no file at all.
   */
  torn(file: string): string | undefined {
    const stat = this.files.stat(file);
    if (stat === undefined || !stat.isFile() || stat.size > ENVELOPE_BYTES_MAX) {
      return undefined;
    }
    const bytes = this.files.read(file, ENVELOPE_BYTES_MAX);
    try {
      return bytes === undefined || Mail.parse(bytes).hashMatches()
        ? undefined
        : `an unfinished send: ${textOf("wrong-hash")}`;
    } catch (e) {
      return `an unfinished send: ${(e as Error).message}`;
    }
  }

  /** Whether an envelope of this id is finished, and with which content. */
  askSeen(domain: string, id: string, hash: string): "new" | "same" | "other" {
    const names = this.files.list(this.layout.seen(domain, id)).filter((name) => name.startsWith(`${id}.`));
    return names.includes(`${id}.${hash.slice("sha256:".length)}`) ? "same" : names.length > 0 ? "other" : "new";
  }

  /** Tells the event log what happened, after it has happened: what can't be told is no reason to undo it. */
  tell(type: string, lane: string, data: JsonObject, actor = this.self, durability?: Durability): void {
    try {
      this.append({ type, lane, actor, data }, durability);
    } catch (e) {
      this.trouble("event log", e);
    }
  }

  /** Tells of mail: with its consent, which its events go no further than. What can't be read is a matter of operations. */
  tellOf(
    env: Envelope | undefined,
    type: string,
    data: JsonObject,
    actor = this.self,
    durability?: Durability,
  ): void {
    const all = env === undefined ? data : { ...data, consent: env.consent };
    this.tell(type, env?.lane ?? "Ops", all, actor, durability);
  }

  /** Appends an event to the log; to the mirror's while a lock forbids that. `rsm` brings it home. */
  append(event: Event, durability?: Durability): void {
    try {
      this.log.append(event, durability);
    } catch (e) {
      if (!(e instanceof Withheld)) {
        throw e;
      }
      this.prepareMirror();
      this.mirrorLog.append(event, durability);
    }
  }

  /** What both logs hold, by time; an event without one stands with the one before it. */
  events(): RseReading {
    const logs = [this.log, this.mirrorLog].map((log) => log.read());
    let last = 0n;
    const timed = logs.flatMap(({ events }) => events.map((event) => ({ event, at: (last = event.ts ?? last) })));
    const events = timed.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ event }) => event);
    return { events, bad: logs.flatMap(({ bad }) => bad), held: logs[0].held };
  }

  /** The mirror is not for git, whoever made the hive. */
  prepareMirror(): void {
    const ignore = join(this.layout.mirror, ".gitignore");
    this.files.createFolder(this.layout.mirror);
    if (this.files.stat(ignore) === undefined) {
      this.files.create(ignore, Buffer.from("*\n"));
    }
  }

  trouble(what: string, e: unknown): void {
    const problem = `${what}: ${(e as Error).message}`;
    if (this.problems.length < 16 && !this.problems.includes(problem)) {
      this.problems.push(problem);
    }
  }

  /** Tells that a lock was met, in the mirror's log where the hive's is locked too: once, and once more each hour. */
  reportLock({ lock, path }: Withheld, mode: "advisory" | "blocked"): void {
    const isKnown = this.met?.lock.source === lock.source && this.clock() - this.met.toldMs < HOUR_MS;
    if (isKnown) {
      return;
    }
    this.met = { lock, toldMs: this.clock() };
    const name = this.layout.nameOf(path);
    const events = [
      { type: "policy_guard", data: { lock: lock.kind, path: name, mode, source: lock.source } as JsonObject },
    ];
    if (lock.source === "uncertain") {
      events.push({ type: "pheromone_drop", data: { topic: "policy-guard", priority: "P1", ref: name, ttl: "1d" } });
    }
    events.forEach((event) => this.tell(event.type, "Governance", event.data));
  }
}
