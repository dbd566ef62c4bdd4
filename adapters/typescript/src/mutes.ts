import { mapOf, text } from "./config.js";
import { Withheld } from "./guard.js";
import type { Hive } from "./hive.js";
import { parseInstant } from "./time.js";
import { parseYaml } from "./yaml.js";

const BYTES_MAX = 8 * 1024;
const UNREADABLE = "9999-12-31T23:59:59Z";

/**
 * Until when people have muted `actor`; undefined if they have not. A mute that can't be read holds, for ever: mail is
 * kept.
 */
export function mutedUntil(hive: Hive, actor: string): string | undefined {
  const file = hive.layout.mute(actor);
  try {
    const bytes = hive.files.read(file, BYTES_MAX);
    const until = bytes && (text(mapOf(parseYaml(bytes)), "until") ?? UNREADABLE);
    return until !== undefined && hive.now() < parseInstant(until) ? until : undefined;
  } catch (e) {
    if (e instanceof Withheld) {
      throw e;
    }
    return UNREADABLE;
  }
}
