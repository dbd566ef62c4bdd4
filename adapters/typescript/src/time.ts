/** A moment, in nanoseconds since 1970: as exact as an envelope's `ts` can be. */
export type Instant = bigint;

export const SECOND = 1_000_000_000n;
export const MILLI = 1_000_000n;

const SHOWN_MAX = 40;
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** The moment that `text` says: `2025-10-15T17:12:03Z`, with up to nine fractional digits, and any offset. */
export function parseInstant(text: string): Instant {
  const parts = TIME.exec(text);
  const time = parts === null ? undefined : instantOf(parts);
  if (time === undefined) {
    const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
    throw new RangeError(`found "${shown}", expected a time such as 2025-10-15T17:12:03Z`);
  }
  return time;
}

/**
 * The moment of year, month, day, hour, minute, second, fraction, sign, hours and minutes; undefined if there is none.
 */
export function instantOf(parts: readonly (string | undefined)[]): Instant | undefined {
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
  const [offsetHours, offsetMinutes] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  const date = new Date(0);
  // Not Date.UTC, which takes the year 99 for 1999.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month > 0 && day > 0;
  if (!exists || hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) {
    return undefined;
  }
  const offset = BigInt((offsetHours * 60 + offsetMinutes) * 60) * (parts[8] === "-" ? -1n : 1n);
  return BigInt(date.getTime()) * MILLI + BigInt((parts[7] ?? "").padEnd(9, "0")) - offset * SECOND;
}

/** `time` in UTC, its fraction in 0, 3, 6 or 9 digits, as few as it needs. */
export function formatInstant(time: Instant): string {
  let nanos = time % SECOND;
  if (nanos < 0n) {
    nanos += SECOND;
  }
  const iso = new Date(Number((time - nanos) / MILLI)).toISOString().replace(".000Z", "");
  if (nanos === 0n) {
    return `${iso}Z`;
  }
  const digits = nanos.toString().padStart(9, "0");
  return `${iso}.${digits.replace(/(?:000){1,2}$/, "")}Z`;
}

export function instantOfMillis(millis: number): Instant {
  return BigInt(Math.floor(millis)) * MILLI;
}

export function millisOf(time: Instant): number {
  return Number(time / MILLI);
}
