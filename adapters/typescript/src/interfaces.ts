import type { Draft } from "./draft.js";
import type { Envelope } from "./envelope.js";
import type { JsonObject } from "./json.js";

/** Leaves pheromones: appends events to a log (section 7 of the specification). */
export interface RSEEmitter {
  emit(e: { ts?: string; type: string; lane: string; actor: string; data: JsonObject }): Promise<void>;
}

/** Carries envelopes (section 7 of the specification). */
export interface RSMTransport {
  /** Sends to everyone in `to`. What an envelope needs and `env` lacks, such as `id` and `ts`, is filled in. */
  send(env: Draft, bodyMd: string): Promise<{ path?: string; hash: string }>;

  /** What comes to an inbox, as it comes; each is taken by one reader. */
  recv(inbox: string): AsyncIterable<{ env: Envelope; bodyMd: string; path: string }>;
}
