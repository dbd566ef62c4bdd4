import { parseLane } from "./address.js";
import { sha256 } from "./hash.js";
import { formatJson, isObject, parseJson, RawNumber, type Json, type JsonObject } from "./json.js";
import { instantOf, instantOfMillis, type Instant } from "./time.js";

/** An event as it was read. */
export interface RseEvent {
  /** Undefined if the line does not tell it. */
  readonly ts: Instant | undefined;
  readonly type: string;
  readonly lane: string;
  readonly actor: string;
  readonly data: JsonObject;
}

/** What a log holds, or the beginning of one. */
export interface RseReading {
  readonly events: readonly RseEvent[];
  /** Why lines, or parts of them, could not be read. */
  readonly bad: readonly string[];
  /** How many bytes at the end are held back, because the last line may not be done. */
  readonly held: number;
}

const READ_BYTES_MAX = 1024 * 1024;
export const LINE_BYTES_MAX = 16 * 1024;
const LANE_LENGTH_MAX = 64;
const LINE_FEED = 0x0a;

/** Reads a log as people and programs really write it: whatever can be an event becomes one, and nothing stops it. */
export function readEvents(log: Uint8Array): RseReading {
  const events: RseEvent[] = [];
  const bad: string[] = [];
  let from = 0;
  for (let end = log.indexOf(LINE_FEED); end >= 0; end = log.indexOf(LINE_FEED, from)) {
    readLine(log.subarray(from, end), events, bad);
    from = end + 1;
  }
  // A last line without its end is read if it is whole: an event that has ended can't become another.
  const rest = { events: [] as RseEvent[], bad: [] as string[] };
  readLine(log.subarray(from), rest.events, rest.bad);
  if (rest.events.length === 0 && rest.bad.length > 0) {
    return { events, bad, held: log.length - from };
  }
  return { events: [...events, ...rest.events], bad: [...bad, ...rest.bad], held: 0 };
}

function readLine(line: Uint8Array, events: RseEvent[], bad: string[]): void {
  if (line.length > READ_BYTES_MAX) {
    bad.push(`line has ${line.length} bytes, expected at most ${READ_BYTES_MAX}`);
    return;
  }
  const text = decoded(line);
  if (text === "") {
    return;
  }
  let value: Json;
  try {
    value = parseJson(text);
  } catch (e) {
    bad.push(`not JSON: ${(e as Error).message}`);
    return;
  }
  const found = (Array.isArray(value) ? value : [value]).map(eventOf);
  events.push(...found.filter((event) => event !== undefined));
  if (found.includes(undefined)) {
    bad.push("found something that is not an event, expected an object with a type");
  }
}

/** The text of a line without byte order marks and white space around it; what is not UTF-8 is windows-1252. */
function decoded(line: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    text = Buffer.from(line)
      .toString("latin1")
      .replace(/[\x80-\x9f]/g, (c) => WINDOWS_1252[c.charCodeAt(0) - 0x80]);
    text = text.replace(/^(?:\u00ef\u00bb\u00bf)+/, "");
  }
  return text.replace(/^\ufeff+/, "").trim();
}

/** What windows-1252 has where Latin-1 has controls; not the platform's decoder, which takes the undefined ones too. */
const WINDOWS_1252 = "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ";

function eventOf(value: Json): RseEvent | undefined {
  if (!isObject(value)) {
    return undefined;
  }
  const type = textOf(value.type) ?? textOf(value.event);
  if (type === undefined) {
    return undefined;
  }
  const lane = textOf(value.lane) ?? textOf(value.target);
  return {
    ts: timeOf(value.ts),
    type,
    lane: lane === undefined ? "unknown" : parseLane(shortened(lane, LANE_LENGTH_MAX)),
    actor: textOf(value.actor) ?? "unknown",
    data: dataOf(value),
  };
}

/** The data, and in it every field beside the five that carries more than they do. */
function dataOf(event: JsonObject): JsonObject {
  const given = event.data ?? (event.data === undefined ? event.note : undefined);
  const noteIsData = event.data === undefined && isObject(event.note);
  const data = isObject(given) ? given : event.data != null ? { value: event.data } : {};
  const read = new Set(["ts", "type", "lane", "actor", "data"]);
  if (textOf(event.type) === undefined) {
    read.add("event");
  }
  if (textOf(event.lane) === undefined) {
    read.add("target");
  }
  if (noteIsData) {
    read.add("note");
  }
  const all = Object.create(null) as JsonObject;
  for (const [name, value] of [...Object.entries(data), ...Object.entries(event).filter(([name]) => !read.has(name))]) {
    if (!(name in all)) {
      all[name] = value;
    }
  }
  return all;
}

function textOf(value: Json | undefined): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)? ?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/;
/** Above this a bare number counts milliseconds, below it seconds. */
const MILLIS_MIN = 1e11;
const MILLIS_MAX = 253_402_300_799_999;

function timeOf(ts: Json | undefined): Instant | undefined {
  if (typeof ts === "string") {
    const parts = TIME.exec(ts.trim());
    return parts === null ? undefined : instantOf(parts);
  }
  if (typeof ts !== "number") {
    return undefined;
  }
  const millis = Math.abs(ts) < MILLIS_MIN ? ts * 1000 : ts;
  return Math.abs(millis) < MILLIS_MAX ? instantOfMillis(millis) : undefined;
}

/** The line of an event, with its line end: exactly five names, in this order, and at most 16 KiB. */
export function formatEvent(event: {
  ts: string;
  type: string;
  lane: string;
  actor: string;
  data: JsonObject;
}): Buffer {
  const line = lineOf(event, event.data);
  return line.length <= LINE_BYTES_MAX ? line : cut(event);
}

function lineOf(event: { ts: string; type: string; lane: string; actor: string }, data: JsonObject): Buffer {
  const { ts, type, lane, actor } = event;
  return Buffer.from(`${formatJson({ ts, type, lane, actor, data })}\n`);
}

const NAME_LENGTH_MAX = 128;
const IDENTIFYING = new Set(
  "id ref inbox attempt status reason topic name lock mode basis action path hash corrects consent truncated".split(" "),
);

/** What the event is about stays, long content goes, and a pointer says so: its `ref`, or the hash of its data. */
function cut(event: { ts: string; type: string; lane: string; actor: string; data: JsonObject }): Buffer {
  const short = {
    ...event,
    type: shortened(event.type, NAME_LENGTH_MAX),
    lane: shortened(event.lane, LANE_LENGTH_MAX),
    actor: shortened(event.actor, NAME_LENGTH_MAX),
  };
  const ref = typeof event.data.ref === "string" ? event.data.ref : `sha256:${sha256(formatJson(event.data))}`;
  const whole: JsonObject = { ...event.data, truncated: true, ref };
  for (let length = 4096; length >= 64; length /= 4) {
    const line = lineOf(short, cutValue(whole, length) as JsonObject);
    if (line.length <= LINE_BYTES_MAX) {
      return line;
    }
  }
  const kept = Object.entries(whole).filter(([name, value]) => IDENTIFYING.has(name) && typeof value !== "object");
  return lineOf(short, cutValue(Object.fromEntries(kept), NAME_LENGTH_MAX) as JsonObject);
}

function cutValue(value: Json, length: number): Json {
  const count = length / 16;
  if (typeof value === "string") {
    return shortened(value, length);
  }
  if (value instanceof RawNumber) {
    return value.raw.length <= length ? value : shortened(value.raw, length);
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, count).map((item) => cutValue(item, length));
    return value.length <= count ? kept : [...kept, "…"];
  }
  if (isObject(value)) {
    const kept = Object.entries(value).filter(([name], index) => index < count || IDENTIFYING.has(name));
    return Object.fromEntries(kept.map(([name, field]) => [shortened(name, NAME_LENGTH_MAX), cutValue(field, length)]));
  }
  return value;
}

/** `text`, or its first characters and `…`; never half of a surrogate pair. */
function shortened(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
