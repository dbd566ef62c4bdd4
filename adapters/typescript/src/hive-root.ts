import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseConfig } from "./config.js";
import { counterpart, gitTreeAround, gitTreeAt } from "./git-tree.js";
import { Guard, HIVE_FOLDER } from "./guard.js";

/** There is no hive, or it can't be told which. */
export class NoHive extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NoHive";
  }
}

/**
 * The root of the hive that whoever works in `start` uses: the nearest folder above that holds `.deia`. All work trees
 * of one repository share the main one's, so that agents that work side by side read the same mail.
 */
export function findHive(start: string): string {
  const real = realpathSync(start);
  let hive: string | undefined;
  let isOfBare = false;
  for (let folder = real; ; folder = dirname(folder)) {
    if (hive === undefined && holdsHive(folder)) {
      hive = folder;
    }
    const tree = gitTreeAt(folder);
    if (hive !== undefined && tree.kind !== "none" && (tree.kind === "main" || isSeparate(hive))) {
      return hive;
    }
    if (tree.kind === "linked") {
      if (hive !== undefined) {
        return shared(tree, hive);
      }
      const theirs = nearest(counterpart(tree, real));
      if (theirs !== undefined) {
        return theirs;
      }
    } else if (tree.kind === "of-bare") {
      // All trees of a bare repository may lie in one folder, and share the hive there.
      hive = undefined;
      isOfBare = true;
    } else if (tree.kind === "lost") {
      throw new NoHive(`the main work tree of ${tree.top} can't be found: ${tree.reason}`);
    }
    if (dirname(folder) === folder) {
      break;
    }
  }
  if (hive === undefined) {
    throw new NoHive(
      isOfBare
        ? `no hive above ${real}, a work tree of a bare repository`
        : `no hive in ${real} or any folder above it`,
    );
  }
  return hive;
}

/** The hive in `root` itself. In a linked work tree, naming it does not make a second hive of it either. */
export function hiveAt(root: string): string {
  const real = realpathSync(root);
  const tree = gitTreeAround(real);
  if (holdsHive(real) && (tree.kind === "none" || tree.kind === "main" || isSeparate(real))) {
    return real;
  }
  if (tree.kind === "linked") {
    return shared(tree, real);
  }
  throw new NoHive(
    `no hive in ${real}: ${tree.kind === "lost" ? tree.reason : `it holds no ${HIVE_FOLDER} of its own`}`,
  );
}

function shared(tree: { top: string; main: string }, folder: string): string {
  const main = counterpart(tree, folder);
  if (!holdsHive(main)) {
    throw new NoHive(`no hive in ${main}, whose hive the linked work tree ${tree.top} shares`);
  }
  return realpathSync(main);
}

function nearest(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (holdsHive(folder)) {
      return realpathSync(folder);
    }
    if (dirname(folder) === folder) {
      return undefined;
    }
  }
}

/** Fails on a name that is taken by something else: to look further up would silently find another hive. */
function holdsHive(folder: string): boolean {
  const stat = lstatSync(join(folder, HIVE_FOLDER), { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) {
    throw new NoHive(`${join(folder, HIVE_FOLDER)}: found no folder, expected one`);
  }
  return stat !== undefined;
}

/**
 * Whether `hive.yaml` says that the hive in `root` is not shared; under a lock it is, and the shared one's locks
 * decide.
 */
function isSeparate(root: string): boolean {
  const file = join(root, HIVE_FOLDER, "hive.yaml");
  if (
    new Guard(root).check(file, "read") !== undefined ||
    lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true
  ) {
    return false;
  }
  try {
    return parseConfig(readFileSync(file)).separate;
  } catch (e) {
    throw new NoHive(`${file}: ${(e as Error).message}`);
  }
}
