import { isAllowed } from "./header-chars.js";
import { FIELD_NAMES, type Envelope, type FieldName } from "./envelope.js";
import { sha256 } from "./hash.js";
import { newId } from "./id.js";
import { Mail } from "./mail.js";
import { MalformedEnvelope } from "./malformed.js";
import { formatInstant, instantOfMillis } from "./time.js";

/** An envelope in the making: what each must have, and whatever else its sender wants to say. The rest has defaults. */
export type Draft = Pick<Envelope, "from" | "to" | "lane" | "topic"> & Partial<Envelope>;

const DEFAULTS = { priority: "P2", ttl: "1d", consent: "team" } as const;

/** Read as something else than text by YAML readers that guess types. */
const NOT_TEXT_ELSEWHERE = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Written as they are; they can't be taken for anything else. */
const BARE: readonly FieldName[] = [
  "id",
  "ts",
  "from",
  "reply_to",
  "correlation_id",
  "priority",
  "ttl",
  "consent",
  "sig",
  "kid",
  "hash",
  "traceparent",
  "hops",
  "from_origin",
  "ask_free",
  "ask_deadline",
];

/**
 * The finished message: UTF-8, line feeds, the specification's field order. Its `hash` is the body's; `sig` is left
 * out, because a signature is of finished bytes (`signed`). Fails if a value can't stand in a header.
 */
export function seal(draft: Draft, body: string | Uint8Array, millis: number = Date.now()): Mail {
  const bytes = typeof body === "string" ? encoded(body) : body;
  const values: Partial<Envelope> = {
    ...DEFAULTS,
    id: newId(millis),
    ts: formatInstant(instantOfMillis(millis)),
    ...Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined)),
    hash: `sha256:${sha256(bytes)}`,
    sig: undefined,
    kid: undefined,
  };
  const lines = FIELD_NAMES.map((name) => line(name, values[name])).join("");
  let mail: Mail;
  try {
    mail = Mail.parse(Buffer.concat([encoded(`---\n${lines}---\n`), bytes]));
  } catch (e) {
    throw e instanceof MalformedEnvelope ? new RangeError(`envelope from ${draft.from}: ${e.message}`) : e;
  }
  checkReadsBack(values, mail.env);
  return mail;
}

/** What was typed must read back as it was typed, or somebody else would read another envelope. */
function checkReadsBack(given: Partial<Envelope>, read: Envelope): void {
  for (const name of ["topic", "scope", "tags", "attachments", "ask", "ask_default", "answer"] as const) {
    const [before, after] = [given[name] ?? [], read[name] ?? []];
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      throw new RangeError(
        `${name}: found ${JSON.stringify(before)}, which a header would read as ${JSON.stringify(after)}`,
      );
    }
  }
}

function line(name: FieldName, value: Envelope[FieldName]): string {
  const isEmpty = Array.isArray(value) && value.length === 0;
  // A question has its field even where it offers nothing.
  if (value === undefined || value === 0 || value === false || (isEmpty && name !== "ask")) {
    return "";
  }
  const text = Array.isArray(value)
    ? `[${value.map((item) => scalar(String(item))).join(", ")}]`
    : BARE.includes(name)
      ? String(value)
      : scalar(String(value));
  // Before it is written: a line end within a value would begin a line of its own.
  for (const character of text) {
    if (!isAllowed(character.codePointAt(0) as number)) {
      throw new RangeError(`${name}: found a forbidden character or a line end, expected printable ones in one line`);
    }
  }
  return `${name}: ${text}\n`;
}

/** A text as YAML: plain if no reader can mistake it, else in double quotes. */
function scalar(text: string): string {
  const isPlain =
    /^\p{L}(?:.*[^ ])?$/u.test(text) && !/[,[\]{}"]| #|:(?: |$)/.test(text) && !NOT_TEXT_ELSEWHERE.test(text);
  return isPlain ? text : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Fails on half a surrogate pair, which would otherwise become a replacement character. */
function encoded(text: string): Buffer {
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)) {
    throw new RangeError("found half a surrogate pair, expected whole characters");
  }
  return Buffer.from(text, "utf8");
}
