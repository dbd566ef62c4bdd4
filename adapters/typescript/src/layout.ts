import { join, relative } from "node:path";
import { HIVE_FOLDER, MIRROR_FOLDER } from "./guard.js";
import { seenFolder } from "./id.js";

/** How the life of a copy ends. */
export type State = "done" | "expired" | "dead" | "duplicate" | "conflict";

/** Where everything of a hive lies, below its root. */
export class Layout {
  readonly hive: string;
  readonly mirror: string;

  /** @param root the folder that holds `.deia`, real and absolute */
  constructor(readonly root: string) {
    this.hive = join(root, HIVE_FOLDER);
    this.mirror = join(root, MIRROR_FOLDER);
  }

  get config(): string {
    return join(this.hive, "hive.yaml");
  }

  get trust(): string {
    return join(this.hive, "trust.yaml");
  }

  get log(): string {
    return join(this.hive, "telemetry", "rse.jsonl");
  }

  /** The event log while the hive's own can't be written. */
  get mirrorLog(): string {
    return join(this.mirror, "telemetry", "rse.jsonl");
  }

  inbox(domain: string): string {
    return join(this.hive, "inbox", domain);
  }

  mail(domain: string, id: string): string {
    return join(this.inbox(domain), `${id}.md`);
  }

  active(domain: string): string {
    return join(this.hive, "active", domain);
  }

  claim(domain: string, token: string): string {
    return join(this.active(domain), `${token}.md`);
  }

  running(domain: string, id: string): string {
    return join(this.active(domain), ".running", id);
  }

  returning(domain: string): string {
    return join(this.active(domain), ".return");
  }

  history(domain: string, id: string): string {
    return join(this.hive, "status", domain, `${id}.jsonl`);
  }

  seen(domain: string, id: string): string {
    return join(this.hive, "seen", domain, seenFolder(id));
  }

  /** The name under which the copy with this content is known as finished. */
  seenName(domain: string, id: string, hash: string): string {
    return join(this.seen(domain, id), `${id}.${hash.slice("sha256:".length)}`);
  }

  archives(domain: string): string {
    return join(this.hive, "archive", domain);
  }

  archive(domain: string, state: State, millis: number): string {
    return join(this.archives(domain), state, new Date(millis).toISOString().slice(0, 10));
  }

  state(domain: string): string {
    return join(this.hive, "state", domain);
  }

  /** What one sender put into one inbox, a line each. */
  ledger(domain: string, actor: string): string {
    return join(this.state(domain), "senders", fileNameOf(actor));
  }

  /** The actor's name as a file has it. */
  mute(actor: string): string {
    return join(this.hive, "mute", `${fileNameOf(actor)}.yaml`);
  }

  /** Where mail of a muted sender lies instead of the inbox. */
  parked(actor: string, domain: string): string {
    return join(this.hive, "outbox", "muted", fileNameOf(actor), domain);
  }

  outcomes(): string {
    return join(this.mirror, "outcome");
  }

  /** `path` as people and events name it: relative to the root, with slashes. */
  nameOf(path: string): string {
    return relative(this.root, path).replaceAll("\\", "/");
  }
}

/** An actor's name as its address and its files have it. */
export function fileNameOf(actor: string): string {
  return actor.toLowerCase().replaceAll(".", "-");
}
