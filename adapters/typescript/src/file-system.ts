import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { HIVE_FOLDER, MIRROR_FOLDER } from "./guard.js";

const MOUNTS = "/proc/self/mountinfo";
const STRICT = "strict";

/** Their journal takes a file and its names together, as real power cuts have shown of each; POSIX promises it of none. */
const NAMES_WITH_FILE = new Set(["ext4", "xfs", "btrfs"]);

const known = new Map<number, boolean>();

/**
 * Whether a file in `folder` that was forced to the disk is found under its names after a power cut. Not so, whatever
 * the file system, where people put a file `strict` into the hive's folder.
 */
export function forcesNamesWithFile(folder: string): boolean {
  if (isStrict(folder)) {
    return false;
  }
  const device = fs.lstatSync(folder).dev;
  const answer = known.get(device) ?? NAMES_WITH_FILE.has(typeOf(folder));
  known.set(device, answer);
  return answer;
}

function isStrict(folder: string): boolean {
  for (let part = folder; ; part = dirname(part)) {
    const name = basename(part);
    if (name === HIVE_FOLDER || name === MIRROR_FOLDER) {
      const strict = join(dirname(part), HIVE_FOLDER, STRICT);
      return fs.lstatSync(strict, { throwIfNoEntry: false }) !== undefined;
    }
    if (part === dirname(part)) {
      return true;
    }
  }
}

/** The type of the file system that was mounted last above `folder`; empty where the system does not tell. */
export function typeOf(folder: string): string {
  let lines: string[];
  try {
    lines = fs.readFileSync(MOUNTS, "utf8").split("\n");
  } catch {
    return "";
  }
  const path = `${fs.realpathSync(folder)}/`;
  let longest = "";
  let found = "";
  for (const line of lines) {
    const [left = "", right = ""] = line.split(" - ");
    const escaped = left.split(" ")[4];
    if (escaped !== undefined) {
      const mount = escaped.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
      if (path.startsWith(mount.endsWith("/") ? mount : `${mount}/`) && mount.length >= longest.length) {
        longest = mount;
        found = right.split(" ")[0] ?? "";
      }
    }
  }
  return found;
}
