/** What a small YAML file holds: all scalars are strings, and nothing after a colon is null. */
export type Yaml = string | null | Yaml[] | YamlMap;
export type YamlMap = Map<string, Yaml>;

/** Configuration is written by hand; more than this is a mistake or an attack. */
export const YAML_BYTES_MAX = 256 * 1024;
const DEPTH_MAX = 16;
const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[A-Za-z0-9_][A-Za-z0-9_./-]*) *:(?= |$)/;

/**
 * What is wrong with a YAML file. What this reader does not know is wrong, too: who can't read a rule can't follow it.
 */
export class MalformedYaml extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = "MalformedYaml";
  }
}

/**
 * Reads the part of YAML that configuration is written in: maps, lists, flow lists and maps on one line, plain and
 * quoted scalars, comments. Block scalars, continuation lines, anchors, tags and second documents are refused.
 */
export function parseYaml(bytes: Uint8Array): Yaml {
  if (bytes.length > YAML_BYTES_MAX) {
    throw new MalformedYaml(1, `found ${bytes.length} bytes, expected at most ${YAML_BYTES_MAX}`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new MalformedYaml(1, "found bytes that are not UTF-8, expected UTF-8");
  }
  return new YamlReader(text).document();
}

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

class YamlReader {
  private readonly lines: Line[] = [];
  private at = 0;

  constructor(text: string) {
    for (const [index, raw] of text.split(/\r?\n/).entries()) {
      const indent = raw.search(/[^ ]/);
      if (indent >= 0 && raw[indent] !== "#") {
        const isMarker = /^(?:---|\.\.\.)(?: |$)/.test(raw) || raw.startsWith("%");
        if (isMarker && !(raw === "---" && this.lines.length === 0)) {
          throw new MalformedYaml(index + 1, "found a document marker or directive, expected one document");
        }
        if (!isMarker) {
          this.lines.push({ number: index + 1, indent, text: raw.slice(indent) });
        }
      }
    }
  }

  document(): Yaml {
    if (this.lines.length === 0) {
      return null;
    }
    const root = this.block(this.lines[0].indent, 0);
    if (this.at < this.lines.length) {
      this.fail("found a line that belongs to nothing, expected a key or an item where others are");
    }
    return root;
  }

  private block(indent: number, depth: number): Yaml {
    if (depth > DEPTH_MAX) {
      this.fail(`found more than ${DEPTH_MAX} levels, expected at most that`);
    }
    const { text } = this.line();
    if (isItem(text)) {
      return this.list(indent, depth);
    }
    return KEY.test(text) ? this.map(indent, depth) : this.scalarLine(0);
  }

  private list(indent: number, depth: number): Yaml[] {
    const items: Yaml[] = [];
    while (this.at < this.lines.length && this.line().indent === indent && isItem(this.line().text)) {
      const { text, number } = this.line();
      const offset = text.slice(1).search(/[^ ]/) + 1;
      if (offset === 0 || text[offset] === "#") {
        items.push(this.below(indent, depth));
      } else {
        this.lines[this.at] = { number, indent: indent + offset, text: text.slice(offset) };
        items.push(this.block(indent + offset, depth + 1));
      }
    }
    return items;
  }

  private map(indent: number, depth: number): YamlMap {
    const map: YamlMap = new Map();
    while (this.at < this.lines.length && this.line().indent === indent && !isItem(this.line().text)) {
      const { text } = this.line();
      const found = KEY.exec(text);
      if (found === null) {
        return this.fail("found no key, expected one and a colon");
      }
      const key = this.unquoted(found[1]);
      if (map.has(key)) {
        this.fail(`${key}: found a second time, expected once`);
      }
      const rest = text.slice(found[0].length).trimStart();
      map.set(
        key,
        rest === "" || rest.startsWith("#") ? this.below(indent, depth, true) : this.scalarLine(found[0].length),
      );
    }
    return map;
  }

  /** What stands below a key or dash that has nothing beside it. A list may stand as far left as its key. */
  private below(indent: number, depth: number, ofKey = false): Yaml {
    this.at++;
    const next = this.lines[this.at];
    const belongs =
      next !== undefined && (next.indent > indent || (ofKey && next.indent === indent && isItem(next.text)));
    return belongs ? this.block(next.indent, depth + 1) : null;
  }

  /** The value from `from` to the end of the line. */
  private scalarLine(from: number): Yaml {
    const flow = new FlowReader(this.line().text, from, (problem) => this.fail(problem));
    const value = flow.whole();
    this.at++;
    return value;
  }

  private unquoted(key: string): string {
    return new FlowReader(key, 0, (problem) => this.fail(problem)).whole() as string;
  }

  private line(): Line {
    return this.lines[this.at];
  }

  private fail(problem: string): never {
    throw new MalformedYaml(this.lines[Math.min(this.at, this.lines.length - 1)].number, problem);
  }
}

function isItem(text: string): boolean {
  return text === "-" || text.startsWith("- ");
}

/** Reads one value within a line. */
class FlowReader {
  constructor(
    private readonly text: string,
    private at: number,
    private readonly fail: (problem: string) => never,
  ) {}

  whole(): Yaml {
    const value = this.value(0, false);
    if (!/^(?: +#.*| *)$/.test(this.text.slice(this.at))) {
      this.fail("found more text after the value, expected the end of the line");
    }
    return value;
  }

  private value(depth: number, inFlow: boolean): Yaml {
    this.skipSpaces();
    if (depth > DEPTH_MAX) {
      this.fail(`found more than ${DEPTH_MAX} levels, expected at most that`);
    }
    switch (this.text[this.at]) {
      case "[":
        return this.items(depth);
      case "{":
        return this.entries(depth);
      case '"':
        return this.doubleQuoted();
      case "'":
        return this.take(/'(?:[^']|'')*'/y, "a closing quote")
          .slice(1, -1)
          .replaceAll("''", "'");
      default:
        return this.plain(inFlow);
    }
  }

  private items(depth: number): Yaml[] {
    const items: Yaml[] = [];
    this.at++;
    while (!this.takes("]")) {
      items.push(this.value(depth + 1, true));
      this.separated("]");
    }
    return items;
  }

  private entries(depth: number): YamlMap {
    const map: YamlMap = new Map();
    this.at++;
    while (!this.takes("}")) {
      const key = this.value(depth + 1, true);
      if (typeof key !== "string" || map.has(key)) {
        this.fail("found a key that is not a name or is there twice, expected each once");
      }
      if (!this.takes(":")) {
        this.fail("found no colon after a key, expected one");
      }
      this.skipSpaces();
      const isEmpty = this.text[this.at] === "," || this.text[this.at] === "}";
      map.set(key as string, isEmpty ? null : this.value(depth + 1, true));
      this.separated("}");
    }
    return map;
  }

  /** A comma, unless what closes comes next. */
  private separated(close: string): void {
    this.skipSpaces();
    if (this.text[this.at] !== close && !this.takes(",")) {
      this.fail(`found no , or ${close}, expected one of them on the same line`);
    }
  }

  private doubleQuoted(): string {
    const quoted = this.take(/"(?:[^"\\]|\\.)*"/y, "a closing quote");
    try {
      return JSON.parse(quoted) as string;
    } catch {
      return this.fail("found an escape that JSON does not have, expected one that it has");
    }
  }

  private plain(inFlow: boolean): string {
    const pattern = inFlow
      ? /(?:[^,[\]{}:# ]|:(?![ ,[\]{}]|$)|(?<! )#| (?!#))+/y
      : /(?:[^:# ]|:(?! |$)|(?<! )#| (?!#))+/y;
    const text = this.take(pattern, "a value").trimEnd();
    if (/^[&*!|>%@`,\]}#]|^[-?:](?: |$)/.test(text)) {
      this.fail(`found a value beginning with ${text[0]}, expected quotes around it`);
    }
    return text;
  }

  private take(pattern: RegExp, expected: string): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) {
      return this.fail(`found "${this.text.slice(this.at, this.at + 20)}", expected ${expected}`);
    }
    this.at += found.length;
    return found;
  }

  private takes(character: string): boolean {
    this.skipSpaces();
    const is = this.text[this.at] === character;
    this.at += is ? 1 : 0;
    return is;
  }

  private skipSpaces(): void {
    while (this.text[this.at] === " ") {
      this.at++;
    }
  }
}
