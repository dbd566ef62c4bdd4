import { codePointCount, CUT_OFF, decode, describe, isAllowed, NOT_UTF8, utf8Length } from "./header-chars.js";
import { MalformedEnvelope } from "./malformed.js";
import { ValueScanner, type Shape } from "./value-scanner.js";

export const HEADER_BYTES_MAX = 8 * 1024;
export const BODY_BYTES_MAX = 64 * 1024;
const KEYS_MAX = 64;
const KEY_LENGTH_MAX = 64;

/** No envelope is longer: both limits, a byte order mark, and two lines `---` that end in CR LF. */
export const ENVELOPE_BYTES_MAX = HEADER_BYTES_MAX + BODY_BYTES_MAX + 3 + 2 * 5;

/** One header field: its values as text, the line of its key, and the bytes of its lines from `start` to `end`. */
export interface Field {
  readonly key: string;
  readonly values: readonly string[];
  readonly shape: Shape;
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** An envelope cut into header fields and body, by grammar alone: what the fields mean is not looked at. */
export interface EnvelopeText {
  readonly bytes: Uint8Array;
  readonly fields: readonly Field[];
  /** The first byte after the opening line. */
  readonly headerStart: number;
  /** The first byte of the closing line. */
  readonly headerEnd: number;
  /** The first byte after the closing line: the body runs from here to the end, untrimmed. */
  readonly bodyStart: number;
  readonly closingLine: number;
}

/** Cuts a whole envelope. The bytes are not copied; nobody may change them afterwards. */
export function cutEnvelope(bytes: Uint8Array): EnvelopeText {
  const text = new HeaderScanner(bytes).scan();
  const bodyLength = bytes.length - text.bodyStart;
  if (bodyLength > BODY_BYTES_MAX) {
    const expected = `expected at most ${BODY_BYTES_MAX}; larger content goes into attachments`;
    throw new MalformedEnvelope(text.closingLine + 1, 1, "body", `found ${bodyLength} bytes, ${expected}`);
  }
  return text;
}

/** Reads a header line by line. */
class HeaderScanner {
  private readonly headerStart: number;
  /** Nothing is read from here on: either the text ends, or the header has become too long. */
  private readonly end: number;
  private readonly cutByLimit: boolean;
  private readonly fields: Field[] = [];

  /** How far the items of the list that is open are indented: "any" before the first, undefined if none is open. */
  private itemIndent: number | "any" | undefined;

  private line = 1;
  private lineStart = 0;
  private next: number;
  private text = "";
  private ended = true;

  constructor(private readonly bytes: Uint8Array) {
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    this.headerStart = this.afterOpeningLine(hasMark ? 3 : 0);
    const limit = this.headerStart + HEADER_BYTES_MAX + "---\r\n".length;
    this.end = Math.min(bytes.length, limit);
    this.cutByLimit = bytes.length > limit;
    this.next = this.headerStart;
  }

  scan(): EnvelopeText {
    for (;;) {
      this.advance();
      if (/^[a-z]/.test(this.text)) {
        this.readField();
      } else if (this.text === "---") {
        return this.closed();
      } else if (!this.ended) {
        this.unclosed();
      } else if (!this.text.startsWith("#") && !/^ *$/.test(this.text)) {
        this.readItem();
      }
    }
  }

  private closed(): EnvelopeText {
    const { bytes, fields, headerStart, lineStart: headerEnd, next: bodyStart, line: closingLine } = this;
    if (headerEnd - headerStart > HEADER_BYTES_MAX) {
      this.tooLong();
    }
    return { bytes, fields, headerStart, headerEnd, bodyStart, closingLine };
  }

  private readField(): void {
    const key = (/^[a-z0-9_]*/.exec(this.text) as RegExpExecArray)[0];
    if (!this.ended) {
      this.unclosed();
    }
    if (key.length > KEY_LENGTH_MAX) {
      this.error(undefined, 0, `found a key of more than ${KEY_LENGTH_MAX} characters, expected a shorter one`);
    }
    if (this.text[key.length] !== ":") {
      const expected = "expected a key of a-z, 0-9 and _, and a colon";
      this.error(undefined, key.length, `found no colon after "${key}", ${expected}`);
    }
    const earlier = this.fields.find((field) => field.key === key);
    if (earlier !== undefined) {
      this.error(key, 0, `found a second time, first in line ${earlier.line}, expected once`);
    }
    if (this.fields.length === KEYS_MAX) {
      this.error(undefined, 0, `found more than ${KEYS_MAX} keys, expected at most that`);
    }
    if (this.text.length > key.length + 1 && this.text[key.length + 1] !== " ") {
      this.error(undefined, key.length + 1, "found no space after the colon, expected one");
    }
    const { values, shape } = this.values(key, key.length + 1).read();
    this.itemIndent = shape === "empty" ? "any" : undefined;
    this.fields.push({ key, values, shape, line: this.line, start: this.lineStart, end: this.next });
  }

  /** Reads `- item`, which belongs to the field before it. */
  private readItem(): void {
    const dash = this.text.search(/[^ ]/);
    if (!/^ *-( |$)/.test(this.text)) {
      this.error(
        undefined,
        dash,
        dash > 0
          ? "found an indented line, expected a key at column 1"
          : "found no key, expected one that begins with a-z",
      );
    }
    if (this.itemIndent !== "any" && this.itemIndent !== dash) {
      const expected = "expected one only below a key without a value, and the next below it";
      this.error(undefined, dash, `found a list item, ${expected}`);
    }
    const list = this.fields.pop() as Field;
    const item = this.values(list.key, dash + 1).item();
    this.itemIndent = dash;
    this.fields.push({ ...list, values: [...list.values, item], shape: "list", end: this.next });
  }

  private values(key: string, from: number): ValueScanner {
    return new ValueScanner(this.text, from, (at, problem) => this.error(key, at, problem));
  }

  /** Moves to the next line, and checks each of its characters. */
  private advance(): void {
    this.line++;
    if (this.next >= this.end) {
      this.unclosed();
    }
    this.lineStart = this.next;
    let at = this.next;
    let lineEnd = this.end;
    this.ended = false;
    while (at < this.end) {
      const byte = this.bytes[at];
      const isCrLf = byte === 0x0d && at + 1 < this.end && this.bytes[at + 1] === 0x0a;
      if (byte === 0x0a || isCrLf) {
        lineEnd = at;
        at += isCrLf ? 2 : 1;
        this.ended = true;
        break;
      }
      at += this.checkedLength(at);
    }
    this.next = at;
    this.text = textOf(this.bytes, this.lineStart, lineEnd);
  }

  /** How many bytes the character at `at` has, if a header may contain it. */
  private checkedLength(at: number): number {
    const codePoint = decode(this.bytes, at, this.end);
    if (codePoint === CUT_OFF) {
      this.unclosed();
    }
    if (codePoint === NOT_UTF8 || !isAllowed(codePoint)) {
      this.text = textOf(this.bytes, this.lineStart, at);
      this.error(
        undefined,
        this.text.length,
        codePoint === NOT_UTF8
          ? `found a byte that is not UTF-8 (0x${this.bytes[at].toString(16).toUpperCase()}), expected UTF-8`
          : `found ${describe(codePoint)}, expected printable characters only`,
      );
    }
    return utf8Length(codePoint);
  }

  private afterOpeningLine(start: number): number {
    let at = start;
    for (let i = 0; i < 3; i++, at++) {
      if (at === this.bytes.length) {
        return unopened();
      }
      if (this.bytes[at] !== 0x2d) {
        throw new MalformedEnvelope(1, 1, undefined, "found no opening line, expected ---");
      }
    }
    if (this.bytes[at] === 0x0d) {
      at++;
    }
    if (at === this.bytes.length) {
      return unopened();
    }
    if (this.bytes[at] !== 0x0a) {
      throw new MalformedEnvelope(1, 4, undefined, "found more than --- in the opening line, expected only that");
    }
    return at + 1;
  }

  private unclosed(): never {
    if (this.cutByLimit) {
      this.tooLong();
    }
    const problem = "found no closing line ---, expected one at the end of the header";
    throw new MalformedEnvelope(this.line, 1, undefined, problem, true);
  }

  private tooLong(): never {
    const problem = `header: found more than ${HEADER_BYTES_MAX} bytes without a closing line ---, expected at most that`;
    throw new MalformedEnvelope(this.line, 1, undefined, problem);
  }

  private error(field: string | undefined, at: number, problem: string): never {
    throw new MalformedEnvelope(this.line, codePointCount(this.text.slice(0, at)) + 1, field, problem);
  }
}

function unopened(): never {
  throw new MalformedEnvelope(1, 1, undefined, "found the end of the text, expected an opening line ---", true);
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("utf8");
}
