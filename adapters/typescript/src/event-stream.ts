import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Withheld } from "./guard.js";
import { HttpProblem, Unreachable, type Body, type Server } from "./http-calls.js";
import { eventOf, text, understood } from "./http-json.js";
import type { RseEvent } from "./rse.js";

/** The server shows each 15 seconds that it lives. */
const SILENCE_MS_MAX = 60_000;
const PAUSE_MS_FIRST = 100;
const PAUSE_MS_MAX = 5_000;
/** Events have 16 KiB at most, those of other writers up to 1 MiB. */
const LINE_BYTES_MAX = 2 * 1024 * 1024;
const UNAVAILABLE = 503;
/** The kinds of events that are entries of the log; of others, such as the one that opens a stream, only the id counts. */
const ENTRIES = new Set(["", "bad", "restart"]);

/** One entry of an event log: an event, or why there is none. */
export interface Told {
  /** The place behind it: who comes back with it gets what follows. */
  readonly cursor: string;
  readonly event?: RseEvent;
  /** Why a line is no event, or why the log began anew. */
  readonly reason?: string;
  /** The log was replaced by another, whose beginning follows. */
  readonly isRestart: boolean;
}

interface Block {
  id?: string;
  kind: string;
  data?: string;
}

/** Takes server-sent events out of bytes, in whatever pieces they come. */
export class SseReader {
  private rest = Buffer.alloc(0);
  private block: Block = { kind: "" };

  /** The events that end in `part`; of one without data only its id counts. */
  feed(part: Uint8Array): Block[] {
    const bytes = Buffer.concat([this.rest, part]);
    const blocks: Block[] = [];
    let from = 0;
    for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", from)) {
      this.line(bytes.toString("utf8", from, end).replace(/\r$/, ""), blocks);
      from = end + 1;
    }
    this.rest = bytes.subarray(from);
    if (this.rest.length > LINE_BYTES_MAX) {
      throw new Error(`the event stream has a line of more than ${LINE_BYTES_MAX} bytes`);
    }
    return blocks;
  }

  private line(line: string, blocks: Block[]): void {
    if (line === "") {
      blocks.push(this.block);
      this.block = { kind: "" };
      return;
    }
    const [, name, value] = /^([^:]*):? ?([^]*)$/.exec(line) as RegExpExecArray;
    if (name === "id" && !value.includes("\0")) {
      this.block.id = value;
    } else if (name === "event") {
      this.block.kind = value;
    } else if (name === "data") {
      this.block.data = this.block.data === undefined ? value : `${this.block.data}\n${value}`;
    }
  }
}

/**
 * The event log of a served hive as it grows, taken up again after each interruption. Its place in the log is known when
 * it is there: from then on nothing is missed. For one reader; `close` ends it at any time.
 */
export class EventStream implements AsyncIterableIterator<Told> {
  private readonly ready: Told[] = [];
  private readonly closing = new AbortController();
  private reader = new SseReader();
  private response?: IncomingMessage;
  private chunks?: AsyncIterator<Buffer>;
  /** Where the connection has got to, which is beyond the cursor while entries are ready. */
  private reached: string;

  private constructor(
    private readonly server: Server,
    /** The place behind the last entry that was given out. */
    public cursor: string,
    private readonly giveUpMs: number,
  ) {
    this.reached = cursor;
  }

  /** Follows the log from `after` on, or from now on. A lock or a wrong token is told here. */
  static async open(server: Server, after: string | undefined, giveUpMs: number): Promise<EventStream> {
    const stream = new EventStream(server, after ?? "", giveUpMs);
    try {
      await stream.connect();
    } catch (e) {
      throw e instanceof HttpProblem || e instanceof Withheld || e instanceof RangeError
        ? e
        : new Unreachable(server.url, e);
    }
    try {
      for (const end = Date.now() + giveUpMs; !(await stream.more()); ) {
        if (Date.now() > end) {
          throw new Unreachable(server.url, new Error("it tells no place in the log"));
        }
      }
    } catch (e) {
      stream.close();
      throw e;
    }
    return stream;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Told, undefined>> {
    while (this.ready.length === 0) {
      if (this.closing.signal.aborted) {
        return { done: true, value: undefined };
      }
      await this.more();
    }
    const value = this.ready.shift() as Told;
    this.cursor = value.cursor;
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<Told, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  /** Ends it; who waits for an event is let go. */
  close(): void {
    this.closing.abort();
    this.drop();
  }

  private async connect(): Promise<void> {
    const resume = this.reached === "" ? undefined : { "Last-Event-ID": this.reached };
    this.response = await this.server.open("/rse/sse", { Accept: "text/event-stream", ...resume }, SILENCE_MS_MAX);
    this.chunks = (this.response as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    this.reader = new SseReader();
    if (this.closing.signal.aborted) {
      this.drop();
    }
  }

  private drop(): void {
    this.response?.destroy();
    this.response = undefined;
    this.chunks = undefined;
  }

  /** Takes what came; whether that told a place in the log. */
  private async more(): Promise<boolean> {
    let part: Buffer | undefined;
    try {
      const taken = await this.chunks?.next();
      part = taken?.done === false ? taken.value : undefined;
    } catch {
      // The connection is gone.
    }
    if (part !== undefined) {
      return this.take(part);
    }
    this.drop();
    await this.comeBack();
    return false;
  }

  private take(part: Buffer): boolean {
    let hasPlace = false;
    for (const { id, kind, data } of this.reader.feed(part)) {
      if (id !== undefined) {
        this.reached = id;
        hasPlace = true;
      }
      if (data !== undefined && ENTRIES.has(kind)) {
        this.ready.push(understood("event", () => told(this.reached, kind, data)));
      } else if (this.ready.length === 0) {
        this.cursor = this.reached;
      }
    }
    return hasPlace;
  }

  private async comeBack(): Promise<void> {
    const end = Date.now() + this.giveUpMs;
    for (let pauseMs = PAUSE_MS_FIRST; !this.closing.signal.aborted; pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)) {
      try {
        return await this.connect();
      } catch (e) {
        // A lock that came meanwhile is waited for as a server that is away.
        const isPassing = !(e instanceof RangeError) && !(e instanceof HttpProblem && e.status !== UNAVAILABLE);
        if (!isPassing || (e instanceof Withheld && Date.now() + pauseMs > end)) {
          throw e;
        }
        if (Date.now() + pauseMs > end) {
          throw new Unreachable(this.server.url, e);
        }
        const wish = e instanceof HttpProblem ? (e.retryAfterS ?? 0) * 1000 : 0;
        await pause(Math.max(pauseMs, Math.min(PAUSE_MS_MAX, wish)), undefined, { signal: this.closing.signal }).catch(
          () => {},
        );
      }
    }
  }
}

function told(cursor: string, kind: string, data: string): Told {
  return kind === ""
    ? { cursor, event: eventOf(data), isRestart: false }
    : { cursor, reason: text(JSON.parse(data) as Body, "reason"), isRestart: kind === "restart" };
}
