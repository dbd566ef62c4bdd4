import { parseLane } from "./address.js";
import { GuardedFiles } from "./guarded-files.js";
import type { RSEEmitter } from "./interfaces.js";
import { isObject, type JsonObject } from "./json.js";
import { formatEvent, readEvents, type RseReading } from "./rse.js";
import { millisOf, parseInstant } from "./time.js";

const LOG_BYTES_MAX = 256 * 1024 * 1024;

/** What must not be lost by a power cut once the call has returned. */
const DURABLE = new Set(["rsm_envelope_emit", "worker_ack", "policy_guard"]);

/** What mail proves needs no force of its own; of anything else its type says whether it is forced. */
export type Durability = "proven";

/** An event log in a file, a JSON object a line. Any number of processes append to it. */
export class JsonlEmitter implements RSEEmitter {
  constructor(
    private readonly files: GuardedFiles,
    readonly file: string,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Appends an event by one write. Fails with `Withheld` if a lock forbids it. */
  async emit(e: { ts?: string; type: string; lane: string; actor: string; data: JsonObject }): Promise<void> {
    this.append(e);
  }

  append(
    e: { ts?: string; type: string; lane: string; actor: string; data: JsonObject },
    durability?: Durability,
  ): void {
    if (e.type.trim() === "" || e.actor.trim() === "") {
      throw new RangeError(`event: found type "${e.type}" of actor "${e.actor}", expected both to be named`);
    }
    if (!isObject(e.data)) {
      throw new RangeError(`event ${e.type}: found no object as data, expected one, such as {}`);
    }
    const millis = e.ts === undefined ? this.clock() : millisOf(parseInstant(e.ts));
    const event = {
      ts: new Date(millis).toISOString(),
      type: e.type,
      lane: parseLane(e.lane),
      actor: e.actor,
      data: e.data,
    };
    this.files.append(this.file, formatEvent(event), { sync: durability !== "proven" && DURABLE.has(e.type) });
  }

  /** Everything that the log holds, and what of it can't be read. */
  read(): RseReading {
    return readEvents(this.files.read(this.file, LOG_BYTES_MAX) ?? new Uint8Array());
  }
}
