import { mapOf, text } from "./config.js";
import { Withheld } from "./guard.js";
import type { Hive } from "./hive.js";
import { parseInstant } from "./time.js";
import { parseYaml } from "./yaml.js";

const BYTES_MAX = 8 * 1024;

/** Whether people have muted `actor`. A mute that can't be read holds: its mail is kept, so that nothing is lost. */
export function isMuted(hive: Hive, actor: string): boolean {
  const file = hive.layout.mute(actor);
  try {
    const bytes = hive.files.read(file, BYTES_MAX);
    const until = bytes && text(mapOf(parseYaml(bytes)), "until");
    return bytes !== undefined && (until === undefined || hive.now() < parseInstant(until));
  } catch (e) {
    if (e instanceof Withheld) {
      throw e;
    }
    return true;
  }
}
