const LENGTH_MAX = 32;
const TTL_SECONDS_MAX = 30 * 86_400;
/** About 30 years: what is longer is a mistake, and too long for the arithmetic of some readers. */
const LEASE_SECONDS_MAX = 1e9;
const UNITS = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
const ISO = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const UNIT_SECONDS = [86_400, 3_600, 60, 1];

/** The seconds that `text` says: `90s`, `15m`, `1h30m`, `2d`, or ISO-8601 such as `PT1H`. */
export function parseDuration(text: string): number {
  const parts = text.length > LENGTH_MAX ? null : (UNITS.exec(text) ?? ISO.exec(text));
  const counts = parts?.slice(1) ?? [];
  if (counts.every((count) => count === undefined)) {
    throw new RangeError(`found "${text.slice(0, LENGTH_MAX)}", expected a duration, for example 90s, 15m, 1h30m, 2d or PT1H`);
  }
  return counts.reduce((sum, count, unit) => sum + Number(count ?? 0) * UNIT_SECONDS[unit], 0);
}

/** The seconds of a `ttl`, which is more than 0 and at most 30 days. */
export function parseTtl(text: string): number {
  const seconds = parseDuration(text);
  if (seconds <= 0 || seconds > TTL_SECONDS_MAX) {
    throw new RangeError(`found "${text}", expected more than 0 and at most 30d`);
  }
  return seconds;
}

/** The seconds of a lease, which is at least one. */
export function parseLease(text: string): number {
  const seconds = parseDuration(text);
  if (seconds < 1 || seconds > LEASE_SECONDS_MAX) {
    throw new RangeError(`lease: found "${text}", expected at least 1s and at most ${LEASE_SECONDS_MAX}s`);
  }
  return seconds;
}

/** Whole seconds in our form: `1h30m`. */
export function formatDuration(seconds: number): string {
  let rest = Math.floor(seconds);
  let text = "";
  for (const [index, unit] of ["d", "h", "m", "s"].entries()) {
    const count = Math.floor(rest / UNIT_SECONDS[index]);
    rest -= count * UNIT_SECONDS[index];
    text += count > 0 ? `${count}${unit}` : "";
  }
  return text === "" ? "0s" : text;
}
