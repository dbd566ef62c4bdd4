import { request as requestPlain, type IncomingMessage } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { HIVE_FOLDER, Withheld } from "./guard.js";
import { LOCK_KINDS, type Lock, type LockKind } from "./locks.js";

/** A page of ten thousand events, with room to spare. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const PAUSE_MS_FIRST = 100;
const PAUSE_MS_MAX = 5_000;
const UNAVAILABLE = 503;

/** The fields of a JSON object that a server answered. */
export type Body = Readonly<Record<string, unknown>>;

/** The server does not answer. Whether it did what was asked is not known; sending mail again is safe. */
export class Unreachable extends Error {
  constructor(url: string, cause: unknown) {
    const { message, code } = cause as { message?: string; code?: string };
    super(`${url} does not answer: ${message || String(code)}`, { cause });
    this.name = "Unreachable";
  }
}

/** The server answered that it did not do it (RFC 9457). */
export class HttpProblem extends Error {
  /** The word that `rsm --json` has for it, too. */
  readonly code: string;
  readonly detail: string;

  constructor(
    readonly status: number,
    /** All that the problem document says. */
    readonly body: Body,
    /** When to come again, if the server said so. */
    readonly retryAfterS?: number,
  ) {
    const [code, detail] = [body.code, body.detail].map((part) => (typeof part === "string" ? part : ""));
    const said = [code, detail].filter((part) => part !== "").join(", ");
    super(`the server answered ${status}${said === "" ? "" : `: ${said}`}`);
    this.name = "HttpProblem";
    this.code = code;
    this.detail = detail;
  }
}

/** What a server said; `body` is empty if that was no JSON object. */
export interface Answer {
  readonly status: number;
  readonly body: Body;
  readonly text: string;
  readonly retryAfterS?: number;
}

export function isOk({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** The lock in an answer, if there is one. */
export function lockIn({ lock, detail, reason }: Body): Lock | undefined {
  const { kind, source } = (lock ?? {}) as { kind?: unknown; source?: unknown };
  if (!LOCK_KINDS.includes(kind as LockKind)) {
    return undefined;
  }
  const why = String(reason ?? detail ?? "").replace(`under lock ${String(kind)}: `, "");
  return { kind: kind as LockKind, source: String(source), declaredIn: "", reason: why };
}

/** What an answer means where it is no success: a lock, wrong usage, or something else. */
export function problemOf({ status, body, retryAfterS }: Answer): Error {
  const lock = status === 423 ? lockIn(body) : undefined;
  if (lock !== undefined) {
    return new Withheld(HIVE_FOLDER, lock);
  }
  return status === 422 && typeof body.detail === "string"
    ? new RangeError(body.detail)
    : new HttpProblem(status, body, retryAfterS);
}

/** Where a hive is served, and how it is called. */
export interface ServerOptions {
  readonly url: string;
  /** What the server wants to be shown. */
  readonly token?: string;
  /** The certificate of whoever vouches for the server, as PEM, where the platform does not know it. */
  readonly ca?: string | Uint8Array;
  /** How long one answer may take, beside what was asked to wait for. */
  readonly timeoutMs: number;
  /** How often a call that may be repeated is made before it fails. */
  readonly triesMax: number;
}

interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Calls of a server. Each has a connection of its own: a kept one that the server has given up can't be told from a
 * call that was lost on its way, and most calls must not be made twice. Not by `fetch`: it can't be told whom to trust.
 */
export class Server {
  readonly url: string;
  private readonly base: URL;

  constructor(private readonly options: ServerOptions) {
    const { token, triesMax, timeoutMs } = options;
    this.base = new URL(options.url);
    const { protocol, username, search, hash, pathname } = this.base;
    if (protocol !== "http:" && protocol !== "https:") {
      throw new RangeError(`url: found "${options.url}", expected http:// or https:// and a host`);
    }
    if (username !== "" || search !== "" || hash !== "" || pathname !== "/") {
      throw new RangeError("url: found more than a host in it, expected that and a port alone");
    }
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
      throw new RangeError("token: found blanks or controls in it, expected one word");
    }
    if (token !== undefined && protocol === "http:" && !this.isHere) {
      throw new RangeError(`url: found http:// to ${this.base.hostname} with a token, expected https://`);
    }
    if (!(timeoutMs > 0) || !(triesMax >= 1)) {
      throw new RangeError(`timeoutMs, triesMax: found ${timeoutMs} and ${triesMax}, expected more than 0 of both`);
    }
    this.url = this.base.origin;
  }

  /** Whether the host can only mean this machine. No name is looked up: it could mean another the next time. */
  get isHere(): boolean {
    const host = this.base.hostname.replace(/^\[|\]$/g, "");
    return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  }

  async get(path: string): Promise<Answer> {
    return this.call({ method: "GET", path, headers: {}, waitMs: 0 }, true);
  }

  /** Posts `body`; `repeat` says whether that may be done again though nobody knows what became of it. */
  async post(
    path: string,
    type: string,
    body: Uint8Array,
    { repeat, waitMs = 0, signal }: { repeat: boolean; waitMs?: number; signal?: AbortSignal },
  ): Promise<Answer> {
    return this.call({ method: "POST", path, headers: { "Content-Type": type }, body, waitMs, signal }, repeat);
  }

  /** An answer that goes on, read as it comes; one that is silent for too long is cut off. */
  async open(path: string, headers: Record<string, string>, silenceMs: number): Promise<IncomingMessage> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error("the answer takes too long")), this.options.timeoutMs);
    try {
      const { response } = await this.begin({ method: "GET", path, headers, waitMs: 0, signal: deadline.signal });
      if (response.statusCode !== 200) {
        throw problemOf(await answerOf(response));
      }
      response.setTimeout(silenceMs, () => response.destroy(new Error("the server is silent")));
      return response;
    } finally {
      clearTimeout(timer);
    }
  }

  private async call(call: Call, repeat: boolean): Promise<Answer> {
    const { triesMax, timeoutMs } = this.options;
    for (let tries = 1, pauseMs = PAUSE_MS_FIRST; ; tries++, pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)) {
      const deadline = AbortSignal.timeout(timeoutMs + call.waitMs);
      const signal = call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]);
      let hasArrived = false;
      try {
        const { response } = await this.begin({ ...call, signal }, () => (hasArrived = true));
        const answer = await answerOf(response);
        if (answer.status !== UNAVAILABLE || !repeat || tries >= triesMax) {
          return answer;
        }
        pauseMs = Math.max(pauseMs, Math.min(PAUSE_MS_MAX, (answer.retryAfterS ?? 0) * 1000));
      } catch (e) {
        call.signal?.throwIfAborted();
        if ((hasArrived && !repeat) || tries >= triesMax) {
          throw new Unreachable(this.url, e);
        }
      }
      await pause(pauseMs, undefined, { signal: call.signal });
    }
  }

  /** Sends a request; the head of its answer. `onConnected` is called when the server may have heard of it. */
  private begin(call: Call, onConnected: () => void = () => {}): Promise<{ response: IncomingMessage }> {
    const { token, ca } = this.options;
    const isSecure = this.base.protocol === "https:";
    const request = (isSecure ? requestSecure : requestPlain)(new URL(call.path, this.base), {
      method: call.method,
      headers: { ...call.headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
      agent: false,
      signal: call.signal,
      ...(isSecure && ca !== undefined && { ca: Buffer.from(ca) }),
    });
    return new Promise((resolve, reject) => {
      request.once("socket", (socket) => socket.once(isSecure ? "secureConnect" : "connect", onConnected));
      request.once("response", (response) => resolve({ response }));
      request.on("error", reject);
      request.end(call.body);
    });
  }
}

/** The whole answer. */
async function answerOf(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > ANSWER_BYTES_MAX) {
      throw new Error(`the answer has more than ${ANSWER_BYTES_MAX} bytes`);
    }
  }
  const text = Buffer.concat(parts).toString("utf8");
  const wait = response.headers["retry-after"]?.trim() ?? "";
  const retryAfterS = /^\d{1,9}$/.test(wait) ? Number(wait) : undefined;
  return { status: response.statusCode ?? 0, body: objectIn(text), text, retryAfterS };
}

function objectIn(text: string): Body {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Body) : {};
  } catch {
    // Several lines, or some other server in between: then the status is all that it said.
    return {};
  }
}
