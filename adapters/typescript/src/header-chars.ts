/** What `decode` answers for bytes that are not UTF-8. */
export const NOT_UTF8 = -1;

/** What `decode` answers where the bytes end inside a character. */
export const CUT_OFF = -2;

/** The smallest code point that needs so many bytes: less is not well-formed. */
const LEAST = [0, 0, 0x80, 0x800, 0x10000];

/** The code point whose UTF-8 form begins at `at`, in its only well-formed spelling. */
export function decode(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at];
  if (first < 0x80) {
    return first;
  }
  const length = first >> 5 === 0b110 ? 2 : first >> 4 === 0b1110 ? 3 : first >> 3 === 0b11110 ? 4 : 0;
  if (length === 0) {
    return NOT_UTF8;
  }
  let codePoint = first & (0x7f >> length);
  for (let i = at + 1; i < at + length; i++) {
    if (i >= end) {
      return CUT_OFF;
    }
    if (bytes[i] >> 6 !== 0b10) {
      return NOT_UTF8;
    }
    codePoint = (codePoint << 6) | (bytes[i] & 0x3f);
  }
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return codePoint < LEAST[length] || codePoint > 0x10ffff || isSurrogate ? NOT_UTF8 : codePoint;
}

export function utf8Length(codePoint: number): number {
  return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
}

/**
 * Whether a header may contain it. Left out are controls, whatever breaks a line for some reader but not for another,
 * byte order marks, and marks that make a line read differently from what it says.
 */
export function isAllowed(codePoint: number): boolean {
  return !(
    codePoint < 0x20 ||
    (codePoint >= 0x7f && codePoint <= 0x9f) ||
    codePoint === 0x2028 ||
    codePoint === 0x2029 ||
    (codePoint >= 0x202a && codePoint <= 0x202e) ||
    (codePoint >= 0x2066 && codePoint <= 0x2069) ||
    (codePoint >= 0xd800 && codePoint <= 0xdfff) ||
    codePoint === 0xfeff ||
    codePoint === 0xfffe ||
    codePoint === 0xffff
  );
}

export function describe(codePoint: number): string {
  const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  const kind =
    codePoint === 0x09
      ? "a tab"
      : codePoint === 0x0d
        ? "a carriage return without a line feed"
        : "a forbidden character";
  return `${kind} (${name})`;
}

/** How many characters (code points) `text` has. */
export function codePointCount(text: string): number {
  let count = 0;
  for (const _ of text) {
    count++;
  }
  return count;
}

/** Whether `text` says nothing. Only U+0020 counts as a space: what else Unicode takes for one differs by language. */
export function isOnlySpaces(text: string): boolean {
  return /^ *$/.test(text);
}
