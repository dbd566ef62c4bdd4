/** A number that a JavaScript number can't hold as it was written: neither rounded nor expanded. */
export class RawNumber {
  constructor(readonly raw: string) {}

  toString(): string {
    return this.raw;
  }
}

export type Json = null | boolean | string | number | RawNumber | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

const DEPTH_MAX = 128;
/** So many digits of a decimal number survive in a JavaScript number. */
const DIGITS_EXACT_MAX = 15;
const EXPONENT_EXACT_MAX = 290;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /-?Infinity|NaN|true|false|null/y;
const SPACES = /[ \t\n\r]*/y;

/**
 * Reads JSON as events really have it: of equal names the last counts, `NaN` and the infinities are strings, halves of
 * surrogate pairs in escapes are kept. Fails with a `SyntaxError`.
 */
export function parseJson(text: string): Json {
  return new JsonReader(text).document();
}

/** One line of JSON; raw numbers as they were read. */
export function formatJson(value: Json): string {
  if (value instanceof RawNumber) {
    return value.raw;
  }
  if (Array.isArray(value)) {
    return `[${value.map(formatJson).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${formatJson(field)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof RawNumber);
}

class JsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value(0);
    this.skipSpaces();
    if (this.at < this.text.length) {
      this.fail("found more text, expected the end");
    }
    return value;
  }

  private value(depth: number): Json {
    if (depth > DEPTH_MAX) {
      this.fail(`found more than ${DEPTH_MAX} levels, expected at most that`);
    }
    this.skipSpaces();
    switch (this.text[this.at]) {
      case "{":
        return this.object(depth);
      case "[":
        return this.array(depth);
      case '"':
        return this.string();
      default: {
        const word = this.word();
        return word === undefined ? this.number() : word;
      }
    }
  }

  private object(depth: number): JsonObject {
    // Without a prototype, so that no name is special.
    const fields = Object.create(null) as JsonObject;
    this.at++;
    for (let first = true; !this.takes("}"); first = false) {
      if (!first) {
        this.expect(",");
      }
      this.skipSpaces();
      const name = this.text[this.at] === '"' ? this.string() : this.fail("found no name, expected one in quotes");
      this.expect(":");
      fields[name] = this.value(depth + 1);
    }
    return fields;
  }

  private array(depth: number): Json[] {
    const items: Json[] = [];
    this.at++;
    for (let first = true; !this.takes("]"); first = false) {
      if (!first) {
        this.expect(",");
      }
      items.push(this.value(depth + 1));
    }
    return items;
  }

  private string(): string {
    const end = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
    end.lastIndex = this.at;
    const found = end.exec(this.text);
    if (found === null) {
      return this.fail("found a text without its end, or a control character in it");
    }
    try {
      // The platform's own reader keeps halves of surrogate pairs.
      const value = JSON.parse(found[0]) as string;
      this.at = end.lastIndex;
      return value;
    } catch {
      return this.fail("found a bad escape");
    }
  }

  private word(): Json | undefined {
    WORD.lastIndex = this.at;
    const found = WORD.exec(this.text)?.[0];
    if (found === undefined) {
      return undefined;
    }
    this.at += found.length;
    return found === "true" ? true : found === "false" ? false : found === "null" ? null : found;
  }

  private number(): number | RawNumber {
    NUMBER.lastIndex = this.at;
    const raw = NUMBER.exec(this.text)?.[0];
    if (raw === undefined) {
      return this.fail("found no value, expected one");
    }
    this.at += raw.length;
    const [mantissa, exponent] = raw.toLowerCase().split("e");
    const isExact =
      mantissa.replace(/[-.]/g, "").replace(/^0+/, "").length <= DIGITS_EXACT_MAX &&
      Math.abs(Number(exponent ?? 0)) <= EXPONENT_EXACT_MAX;
    return isExact ? Number(raw) : new RawNumber(raw);
  }

  private expect(character: string): void {
    if (!this.takes(character)) {
      this.fail(`found no ${character}, expected one`);
    }
  }

  private takes(character: string): boolean {
    this.skipSpaces();
    const is = this.text[this.at] === character;
    this.at += is ? 1 : 0;
    return is;
  }

  private skipSpaces(): void {
    SPACES.lastIndex = this.at;
    SPACES.exec(this.text);
    this.at = SPACES.lastIndex;
  }

  private fail(problem: string): never {
    throw new SyntaxError(`column ${this.at + 1}: ${problem}`);
  }
}
