import { describe, isAllowed } from "./header-chars.js";

/** How the value of a field was written; an empty one has nothing after its colon. */
export type Shape = "empty" | "scalar" | "list";

/** Fails with a message about the place `at` of the line that is read. */
export type Fail = (at: number, problem: string) => never;

/** A plain scalar may not begin with one of these: each means something else to a YAML reader. */
const INDICATORS = "-?:,[]{}#&*!|>'\"%@`";

const FLOW_INDICATORS = ",[]{}";

/**
 * Reads what stands after a key or a list item's dash, within one line: a plain or quoted scalar, or a flow list. The
 * line's characters are known to be allowed.
 */
export class ValueScanner {
  private at: number;

  constructor(
    private readonly line: string,
    from: number,
    private readonly fail: Fail,
  ) {
    this.at = from;
    this.skipSpaces();
  }

  /** Whether there is no value: nothing, or only a comment. */
  isEmpty(): boolean {
    return this.at === this.line.length || this.line[this.at] === "#";
  }

  read(): { values: string[]; shape: Shape } {
    if (this.isEmpty()) {
      return { values: [], shape: "empty" };
    }
    if (this.line[this.at] === "[") {
      const values = this.flowList();
      this.expectEnd();
      return { values, shape: "list" };
    }
    return { values: [this.item()], shape: "scalar" };
  }

  /** Reads one scalar to the end of the line. */
  item(): string {
    if (this.isEmpty()) {
      this.error("found an empty list item, expected a value");
    }
    const value = this.scalar(false);
    this.expectEnd();
    return value;
  }

  private flowList(): string[] {
    this.at++;
    this.skipSpaces();
    if (this.line[this.at] === "]") {
      this.at++;
      return [];
    }
    const found: string[] = [];
    for (;;) {
      if (this.at === this.line.length) {
        this.error("found no closing ], expected the list to end on its line");
      }
      found.push(this.scalar(true));
      this.skipSpaces();
      const separator = this.line[this.at];
      if (separator !== "]" && separator !== ",") {
        this.error("found no , or ] after a list item, expected the list to end on its line");
      }
      this.at++;
      if (separator === "]") {
        return found;
      }
      this.skipSpaces();
    }
  }

  private scalar(inList: boolean): string {
    switch (this.line[this.at]) {
      case '"':
        return this.doubleQuoted();
      case "'":
        return this.singleQuoted();
      default:
        return this.plain(inList);
    }
  }

  private plain(inList: boolean): string {
    this.checkPlainStart(inList);
    const start = this.at;
    while (this.at < this.line.length && !this.endsPlain(inList)) {
      this.at++;
    }
    return this.line.slice(start, this.at).replace(/ +$/, "");
  }

  /** Whether the character here is no longer part of a plain scalar. Fails where a YAML reader would stumble. */
  private endsPlain(inList: boolean): boolean {
    const c = this.line[this.at];
    const next = this.line[this.at + 1];
    if (c === ":" && (next === undefined || next === " " || (inList && FLOW_INDICATORS.includes(next)))) {
      this.error("found a colon and a space in a value, expected quotes around it");
    }
    if (inList && FLOW_INDICATORS.includes(c)) {
      if (c === "," || c === "]") {
        return true;
      }
      this.error(`found "${c}" in a list item, expected quotes around it`);
    }
    return c === "#" && this.line[this.at - 1] === " ";
  }

  private checkPlainStart(inList: boolean): void {
    const first = this.line[this.at];
    if (!INDICATORS.includes(first)) {
      return;
    }
    const next = this.line[this.at + 1];
    const mayBegin = first === "-" || (!inList && (first === ":" || first === "?"));
    const wordFollows = next !== undefined && next !== " " && !(inList && FLOW_INDICATORS.includes(next));
    if (!mayBegin || !wordFollows) {
      this.error(`found a value beginning with ${first}, expected quotes around it`);
    }
  }

  private singleQuoted(): string {
    const start = ++this.at;
    for (; this.at < this.line.length; this.at++) {
      if (this.line[this.at] === "'") {
        if (this.line[this.at + 1] !== "'") {
          return this.line.slice(start, this.at++).replaceAll("''", "'");
        }
        this.at++;
      }
    }
    return this.unclosedQuote();
  }

  private doubleQuoted(): string {
    this.at++;
    let text = "";
    while (this.at < this.line.length) {
      const c = this.line[this.at];
      if (c === '"') {
        this.at++;
        return text;
      }
      if (c === "\\") {
        text += this.escaped();
      } else {
        text += c;
        this.at++;
      }
    }
    return this.unclosedQuote();
  }

  /** The character that the escape at this place stands for; moves behind it. */
  private escaped(): string {
    const backslash = this.at;
    const kind = this.line[this.at + 1];
    this.at += 2;
    let codePoint: number;
    switch (kind) {
      case "\\":
      case '"':
      case "/":
        return kind;
      case "x":
        codePoint = this.hex(2);
        break;
      case "u":
        codePoint = this.unicode();
        break;
      default:
        this.at = backslash;
        return this.error('found an unknown escape, expected one of \\\\ \\" \\/ \\xXX \\uXXXX');
    }
    if (!isAllowed(codePoint)) {
      this.at = backslash;
      this.error(`found an escape for ${describe(codePoint)}, expected printable characters only`);
    }
    return String.fromCodePoint(codePoint);
  }

  /** The code point of `uXXXX`, or of two of them that are a surrogate pair, as JSON writes what lies above U+FFFF. */
  private unicode(): number {
    const first = this.hex(4);
    const isHigh = first >= 0xd800 && first <= 0xdbff;
    if (!isHigh || this.line[this.at] !== "\\" || this.line[this.at + 1] !== "u") {
      return first;
    }
    const behindFirst = this.at;
    this.at += 2;
    const second = this.hex(4);
    if (second >= 0xdc00 && second <= 0xdfff) {
      return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    }
    this.at = behindFirst;
    return first;
  }

  private hex(digits: number): number {
    let value = 0;
    for (let i = 0; i < digits; i++, this.at++) {
      const c = this.line[this.at] ?? "";
      if (!/^[0-9A-Fa-f]$/.test(c)) {
        this.error(`found an escape that is cut short, expected ${digits} hexadecimal digits`);
      }
      value = value * 16 + parseInt(c, 16);
    }
    return value;
  }

  /** After a value there may be spaces, and a comment with a space before it. */
  private expectEnd(): void {
    const spaced = this.at === this.line.length || this.line[this.at] === " " || this.line[this.at - 1] === " ";
    this.skipSpaces();
    if (this.at < this.line.length && !(spaced && this.line[this.at] === "#")) {
      this.error("found more text after the value, expected the end of the line");
    }
  }

  private skipSpaces(): void {
    while (this.line[this.at] === " ") {
      this.at++;
    }
  }

  private unclosedQuote(): never {
    return this.error("found no closing quote, expected the value to end on its line");
  }

  private error(problem: string): never {
    return this.fail(this.at, problem);
  }
}
