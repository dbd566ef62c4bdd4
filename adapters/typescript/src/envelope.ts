import { formatAddress, knownLane, parseActor, parseAddress, parseLane } from "./address.js";
import { parseConsent, type Consent } from "./consent.js";
import { parseTtl } from "./duration.js";
import type { EnvelopeText, Field } from "./envelope-text.js";
import { parseHash } from "./hash.js";
import { codePointCount, isOnlySpaces } from "./header-chars.js";
import { parseId } from "./id.js";
import { MalformedEnvelope } from "./malformed.js";
import { checkAsk, parseAnswer, parseChoice, parseFree, type Ask } from "./question.js";
import { formatInstant, parseInstant } from "./time.js";

export type Priority = "P0" | "P1" | "P2" | "P3";

/** The header of one message, under the names that it has in the file. */
export interface Envelope {
  /** A ULID in upper case or a UUID in lower case. */
  readonly id: string;
  /** When it was sent: ISO-8601. */
  readonly ts: string;
  readonly from: string;
  /** Addresses, such as `queen://code`; at least one. */
  readonly to: readonly string[];
  readonly reply_to?: string;
  readonly correlation_id?: string;
  readonly lane: string;
  readonly topic: string;
  readonly priority: Priority;
  /** How long it is worth delivering: `90s`, `15m`, `1h30m`, `2d`. */
  readonly ttl: string;
  readonly scope?: string;
  readonly consent: Consent;
  /** `ed25519-` or `hmac-` and hexadecimal digits. */
  readonly sig?: string;
  /** `sha256:` and 64 digits: of the body. */
  readonly hash: string;
  readonly tags: readonly string[];
  /** Which key signed. */
  readonly kid?: string;
  /** Content that is too large for a body: entries of a path, a space, and its hash. */
  readonly attachments: readonly string[];
  readonly traceparent?: string;
  /** How many replies led to this one. */
  readonly hops: number;
  readonly from_origin?: string;
  /** The choices of a question: this field makes mail one. */
  readonly ask?: readonly string[];
  /** Whether another text is an answer, too; there if `ask` is. */
  readonly ask_free?: boolean;
  /** What holds if nobody answers in time. */
  readonly ask_default?: string;
  /** From when on no answer counts any more, if that is before the end of its life. */
  readonly ask_deadline?: string;
  /** The addresses of those who are asked, if not everybody in `to`. */
  readonly ask_of?: readonly string[];
  /** What it answers to the question that `correlation_id` names. */
  readonly answer?: string;
}

/** The fields that have a meaning here, in the order in which they are written; all others are carried along. */
export const FIELD_NAMES = [
  "id",
  "ts",
  "from",
  "to",
  "reply_to",
  "correlation_id",
  "lane",
  "topic",
  "priority",
  "ttl",
  "scope",
  "consent",
  "sig",
  "kid",
  "hash",
  "tags",
  "attachments",
  "traceparent",
  "hops",
  "from_origin",
  "ask",
  "ask_free",
  "ask_default",
  "ask_deadline",
  "ask_of",
  "answer",
] as const;

export type FieldName = (typeof FIELD_NAMES)[number];

const TOPIC_LENGTH_MAX = 256;
export const HOPS_MAX = 8;
const SIGNATURE = /^(?:ed25519-[0-9a-f]{128}|hmac-[0-9a-f]{64})$/;
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Reads the fields of a header as values of their types; what does not fit its type is an error with its line. */
export function readEnvelope(text: EnvelopeText): { env: Envelope; warnings: readonly MalformedEnvelope[] } {
  const read = new FieldReader(text);
  const env: Mutable<Envelope> = {
    id: read.required("id", parseId),
    ts: read.required("ts", (value) => formatInstant(parseInstant(value))),
    from: read.required("from", parseActor),
    to: read.to(),
    lane: read.required("lane", parseLane),
    topic: read.required("topic", parseTopic),
    priority: read.required("priority", parsePriority),
    ttl: read.required("ttl", (value) => (parseTtl(value), value)),
    consent: read.optional("consent", parseConsent) ?? "team",
    hash: read.required("hash", parseHash),
    tags: read.list("tags", parseText),
    attachments: read.list("attachments", parseAttachment),
    hops: read.optional("hops", parseHops) ?? 0,
  };
  const optional = {
    reply_to: read.optional("reply_to", canonicalAddress),
    correlation_id: read.optional("correlation_id", parseId),
    scope: read.optional("scope", parseText),
    sig: read.signature(),
    kid: read.optional("kid", parseActor),
    traceparent: read.lenient("traceparent", (value) => matching(value, TRACEPARENT, "00-<32 hex>-<16 hex>-<2 hex>")),
    from_origin: read.lenient("from_origin", (value) =>
      matching(value, /^(?:flag|environment|default)$/, "flag, environment or default"),
    ),
  };
  for (const [name, value] of Object.entries(optional)) {
    if (value !== undefined) {
      env[name as keyof typeof optional] = value;
    }
  }
  Object.assign(env, read.ask());
  const answer = read.lenient("answer", parseAnswer);
  if (answer !== undefined) {
    env.answer = answer;
  }
  if (knownLane(env.lane) === undefined) {
    read.warn("lane", `found "${env.lane}", which is none of the known lanes`);
  }
  return { env, warnings: read.warnings };
}

class FieldReader {
  readonly warnings: MalformedEnvelope[] = [];

  constructor(private readonly text: EnvelopeText) {}

  required<T>(name: FieldName, parse: (value: string) => T): T {
    const field = this.find(name);
    if (field === undefined) {
      const problem = "found no such field in the header, expected one";
      throw new MalformedEnvelope(this.text.closingLine, 1, name, problem);
    }
    return parsed(field, only(field), parse);
  }

  /** The value of a field that may be missing; a key without a value counts as missing. */
  optional<T>(name: FieldName, parse: (value: string) => T): T | undefined {
    const field = this.find(name);
    return field === undefined || field.shape === "empty" ? undefined : parsed(field, only(field), parse);
  }

  /** The signature; a `sig` line without a value is an error. */
  signature(): string | undefined {
    const field = this.find("sig");
    const expected = "ed25519- and 128, or hmac- and 64 hexadecimal digits";
    return field && parsed(field, only(field), (value) => matching(value, SIGNATURE, expected));
  }

  /** The value of a field that is no reason to lose mail: missing, and with a warning, if it is malformed. */
  lenient<T>(name: FieldName, parse: (value: string) => T): T | undefined {
    try {
      return this.optional(name, parse);
    } catch (e) {
      if (!(e instanceof MalformedEnvelope)) {
        throw e;
      }
      this.warnings.push(e);
      return undefined;
    }
  }

  list<T>(name: FieldName, parse: (value: string) => T): T[] {
    const field = this.find(name);
    if (field === undefined || field.shape === "empty") {
      return [];
    }
    if (field.shape !== "list") {
      throw flaw(field, "found a single value, expected a list such as [one, two]");
    }
    return field.values.map((value) => parsed(field, value, parse));
  }

  /** The addresses; a single one may stand without brackets. */
  to(): string[] {
    const field = this.find("to");
    if (field === undefined) {
      return this.required("to", () => []);
    }
    if (field.values.length === 0) {
      throw flaw(field, "found nobody, expected at least one address such as queen://code");
    }
    return field.values.map((value) => parsed(field, value, canonicalAddress));
  }

  /** What a question asks; nothing, with a warning, if that can't be understood: then it is mail like any other. */
  ask(): Ask {
    const field = this.find("ask");
    if (field === undefined || field.shape === "empty") {
      return {};
    }
    try {
      const ask: Mutable<Ask> = {
        ask: this.list("ask", parseChoice),
        ask_free: this.optional("ask_free", parseFree) ?? false,
      };
      const fallback = this.optional("ask_default", parseAnswer);
      const deadline = this.optional("ask_deadline", (value) => formatInstant(parseInstant(value)));
      const of = this.list("ask_of", canonicalAddress);
      Object.assign(
        ask,
        fallback !== undefined && { ask_default: fallback },
        deadline !== undefined && { ask_deadline: deadline },
        of.length > 0 && { ask_of: of },
      );
      checkAsk(ask);
      return ask;
    } catch (e) {
      if (e instanceof MalformedEnvelope) {
        this.warnings.push(e);
      } else if (e instanceof RangeError) {
        this.warn("ask", e.message);
      } else {
        throw e;
      }
      return {};
    }
  }

  warn(name: FieldName, problem: string): void {
    const field = this.find(name);
    this.warnings.push(new MalformedEnvelope(field?.line ?? 1, 1, name, problem));
  }

  private find(name: FieldName): Field | undefined {
    return this.text.fields.find((field) => field.key === name);
  }
}

function only(field: Field): string {
  switch (field.shape) {
    case "scalar":
      return field.values[0];
    case "empty":
      throw flaw(field, "found nothing after the colon, expected a value");
    case "list":
      throw flaw(field, "found a list, expected a single value");
  }
}

function parsed<T>(field: Field, value: string, parse: (value: string) => T): T {
  try {
    return parse(value);
  } catch (e) {
    throw e instanceof RangeError ? flaw(field, e.message) : e;
  }
}

function flaw(field: Field, problem: string): MalformedEnvelope {
  return new MalformedEnvelope(field.line, 1, field.key, problem);
}

function canonicalAddress(text: string): string {
  return formatAddress(parseAddress(text));
}

function matching(value: string, pattern: RegExp, expected: string): string {
  if (!pattern.test(value)) {
    throw new RangeError(`found "${value}", expected ${expected}`);
  }
  return value;
}

function parsePriority(value: string): Priority {
  return matching(value, /^P[0-3]$/, "P0, P1, P2 or P3") as Priority;
}

function parseTopic(value: string): string {
  const length = codePointCount(value);
  if (isOnlySpaces(value) || length > TOPIC_LENGTH_MAX) {
    throw new RangeError(`found ${length} characters, expected 1 to ${TOPIC_LENGTH_MAX}, not all of them spaces`);
  }
  return value;
}

function parseText(value: string): string {
  if (isOnlySpaces(value)) {
    throw new RangeError("found an empty text, expected at least one character");
  }
  return value;
}

function parseHops(value: string): number {
  return Number(matching(value, /^[0-8]$/, `a number from 0 to ${HOPS_MAX}`));
}

function parseAttachment(value: string): string {
  const space = value.lastIndexOf(" ");
  const path = value.slice(0, Math.max(0, space));
  if (path === "" || path.startsWith(" ") || path.endsWith(" ")) {
    throw new RangeError(`found "${value}", expected a path, a space, and sha256: with 64 digits`);
  }
  return `${path} ${parseHash(value.slice(space + 1))}`;
}
