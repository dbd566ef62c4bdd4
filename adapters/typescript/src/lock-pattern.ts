const LENGTH_MAX = 1024;
const ALTERNATIVES_MAX = 256;
const ANY_DEPTH = "**";
/** What people mean by other rules than these: read by ours it would cover nothing, and nobody would know. */
const MISTAKEN = /^(?:!|\/|~\/|[A-Za-z]:[/\\])/;

/**
 * What a lock covers: a glob relative to the hive root, with `*`, `?`, `[a-z]`, `{one,two}` and `**` for any folders.
 */
export class LockPattern {
  /** Each alternative as the names between its slashes. */
  private readonly alternatives: readonly (readonly string[])[];

  /** Fails with a `RangeError` on what can't be read. */
  constructor(readonly text: string) {
    if (text.trim() === "" || text.length > LENGTH_MAX) {
      throw new RangeError(`path_pattern: found ${text.trim().length} characters, expected 1 to ${LENGTH_MAX}`);
    }
    const expanded: string[] = [];
    expand("", text, expanded);
    // Some people mean `a**b` across folders; then it covers both.
    const deeper = (pattern: string): string =>
      pattern
        .split("/")
        .map((name) => (name === ANY_DEPTH ? name : name.replace(/\*\*+/g, "*/**/*")))
        .join("/");
    this.alternatives = expanded.flatMap((one) => [one, deeper(one)]).map(names);
  }

  /** Whether it covers `path`, or a folder that holds it. */
  covers(path: readonly string[]): boolean {
    return this.alternatives.some((pattern) => advance(pattern, path, true));
  }

  /** Whether it could cover something inside the folder `path`, which itself it does not. */
  mayCoverBelow(path: readonly string[]): boolean {
    return this.alternatives.some((pattern) => advance(pattern, path, false));
  }
}

/**
 * Follows all readings of `pattern` along `path` at once: whether one ends on the way, or (not `whole`) goes on after.
 */
function advance(pattern: readonly string[], path: readonly string[], whole: boolean): boolean {
  let live = withDepths(pattern, new Set([0]));
  for (const name of path) {
    if (whole && live.has(pattern.length)) {
      return true;
    }
    const next = new Set<number>();
    for (const at of live) {
      if (pattern[at] === ANY_DEPTH) {
        next.add(at);
      } else if (at < pattern.length && matches(pattern[at], name)) {
        next.add(at + 1);
      }
    }
    live = withDepths(pattern, next);
  }
  return whole ? live.has(pattern.length) : [...live].some((at) => at < pattern.length);
}

/** `**` may also stand for no folder at all. */
function withDepths(pattern: readonly string[], live: Set<number>): Set<number> {
  for (const at of live) {
    if (pattern[at] === ANY_DEPTH) {
      live.add(at + 1);
    }
  }
  return live;
}

function names(pattern: string): string[] {
  if (MISTAKEN.test(pattern)) {
    throw new RangeError(
      `path_pattern: found "${pattern}", expected a path relative to the hive root, and no ! before it`,
    );
  }
  const found: string[] = [];
  for (const name of pattern.split("/")) {
    if (name === "..") {
      if (found.pop() === undefined) {
        throw new RangeError(`path_pattern: found "${pattern}", expected a path inside the hive root`);
      }
    } else if (name !== "" && name !== "." && !(name === ANY_DEPTH && found.at(-1) === ANY_DEPTH)) {
      elements(name);
      found.push(name);
    }
  }
  // The root itself, however it is written: everything.
  return found.length === 0 ? [ANY_DEPTH] : found;
}

/** Replaces the first `{one,two}` by each of its parts, and so on. */
function expand(before: string, rest: string, into: string[]): void {
  const parts = elements(rest, true);
  const open = parts.indexOf("{");
  if (open < 0) {
    if (into.length === ALTERNATIVES_MAX) {
      throw new RangeError(`path_pattern: found braces for more than ${ALTERNATIVES_MAX} patterns, expected fewer`);
    }
    into.push(before + rest);
    return;
  }
  const choices: string[] = [""];
  let depth = 0;
  let at = open + 1;
  for (; at < parts.length && !(depth === 0 && parts[at] === "}"); at++) {
    if (depth === 0 && parts[at] === ",") {
      choices.push("");
      continue;
    }
    depth += parts[at] === "{" ? 1 : parts[at] === "}" ? -1 : 0;
    choices[choices.length - 1] += parts[at];
  }
  if (at === parts.length) {
    throw new RangeError(`path_pattern: found { without its } in "${rest}"`);
  }
  const head = before + parts.slice(0, open).join("");
  for (const choice of choices) {
    expand(head, choice + parts.slice(at + 1).join(""), into);
  }
}

/**
 * A glob cut into what stands for one character each: itself, `\c`, `[class]`, `?`, `*`. Lenient about classes in whole
 * patterns.
 */
function elements(glob: string, lenient = false): string[] {
  const found = glob.match(/\\[^]|\[[!^]?[^][^\]]*\]|[^]/gu) ?? [];
  for (const element of found) {
    if (!lenient && (element === "[" || element === "\\")) {
      throw new RangeError(`path_pattern: found ${element} alone in "${glob}", expected its end`);
    }
  }
  return found;
}

/** Whether the glob matches a whole name; in time that grows with both, whatever is in them. */
function matches(glob: string, name: string): boolean {
  const parts = elements(glob);
  const characters = [...name];
  let [at, from, star, starFrom] = [0, 0, -1, 0];
  while (from < characters.length) {
    if (parts[at] === "*") {
      [star, starFrom] = [at++, from];
    } else if (at < parts.length && isOne(parts[at], characters[from])) {
      at++;
      from++;
    } else if (star >= 0) {
      // The last star takes one more; an earlier one never needs to.
      [at, from] = [star + 1, ++starFrom];
    } else {
      return false;
    }
  }
  return parts.slice(at).every((part) => part === "*");
}

function isOne(element: string, character: string): boolean {
  if (element === "?") {
    return true;
  }
  if (element.length > 1 && element.startsWith("[")) {
    return isInClass([...element.slice(1, -1)], character.codePointAt(0) as number);
  }
  return (element.length > 1 && element.startsWith("\\") ? element.slice(1) : element) === character;
}

function isInClass(members: string[], codePoint: number): boolean {
  const isNegated = members[0] === "!" || members[0] === "^";
  let found = false;
  for (let at = isNegated ? 1 : 0; at < members.length; at++) {
    const from = members[at].codePointAt(0) as number;
    let to = from;
    if (members[at + 1] === "-" && at + 2 < members.length) {
      to = members[at + 2].codePointAt(0) as number;
      at += 2;
    }
    found ||= from <= codePoint && codePoint <= to;
  }
  return found !== isNegated;
}
