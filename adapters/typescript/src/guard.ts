import { constants, lstatSync, openSync, readdirSync, realpathSync, closeSync, readSync, type BigIntStats } from "node:fs";
import { createHash } from "node:crypto";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { counterpart, gitTreeAround } from "./git-tree.js";
import type { LockPattern } from "./lock-pattern.js";
import { forbids, readLockLists, type Access, type Lock, type LockEntry } from "./locks.js";
import { instantOfMillis, MILLI, type Instant } from "./time.js";

export const HIVE_FOLDER = ".deia";
export const MIRROR_FOLDER = ".embargo";
export const HIVE_LOCK = "ROTG-2-RESPECT-DO-NOT-ERASE.lock";

const REASON_BYTES_MAX = 1024;
const HASHED_BYTES_MAX = 1024 * 1024 * 1024;
/** How many names are looked at to find out whether a folder holds something locked. */
const BELOW_MAX = 10_000;
/** Two changes within one tick of the file system's clock look alike, so that only what has rested is remembered. */
const RESTED_MS_MIN = 2_000n;

/** A lock forbids something. Nothing was done, and nothing is to be tried again until a person lifts it. */
export class Withheld extends Error {
  constructor(
    readonly path: string,
    readonly lock: Lock,
  ) {
    super(`${path} is under lock ${lock.kind}: ${lock.reason}`);
    this.name = "Withheld";
  }
}

/** The locks as they were at one moment. */
interface View {
  /** What stands against everything in the hive. */
  readonly hive?: Lock;
  /** What stands against everything outside the hive and its mirror. */
  readonly elsewhere?: Lock;
  readonly entries: readonly LockEntry[];
}

/**
 * Looks for locks in the hive itself: the hive's own lock first, by its name alone, then the lists. Whatever can't be
 * found out is locked; so is a hive that has an outside guard, for that is foreign code which this adapter does not run.
 */
export class Guard {
  private known?: { readonly watched: readonly { path: string; stat: BigIntStats }[]; readonly view: View };
  private folds?: boolean;

  /** @param root the hive root, real and absolute */
  constructor(
    readonly root: string,
    private readonly clock: () => Instant = () => instantOfMillis(Date.now()),
  ) {}

  /**
   * The lock that forbids `access` to `path`, and to `content` if that is to be written there; undefined if none does.
   */
  check(path: string, access: Access, content?: Uint8Array): Lock | undefined {
    try {
      const view = this.look();
      const isFree = view.hive === undefined && view.elsewhere === undefined && view.entries.length === 0;
      return isFree ? undefined : this.verdict(view, resolve(path), access, content);
    } catch (e) {
      return uncertain(`the locks can't be judged: ${(e as Error).message}`);
    }
  }

  /** Fails with `Withheld` if a lock forbids it. */
  require(path: string, access: Access, content?: Uint8Array): void {
    const lock = this.check(path, access, content);
    if (lock !== undefined) {
      throw new Withheld(path, lock);
    }
  }

  private look(): View {
    const hive = join(this.root, HIVE_FOLDER);
    const lock = lstatSync(join(hive, HIVE_LOCK), { bigint: true, throwIfNoEntry: false });
    if (lock !== undefined) {
      return this.locked(lock);
    }
    if (this.known?.watched.every(({ path, stat }) => isSame(stat, stats(path))) === true) {
      return this.known.view;
    }
    this.known = undefined;
    // Before anything is read: whatever changes from here on is seen the next time.
    const tools = join(hive, "tools");
    const before = [hive, tools].map((path) => ({ path, stat: stats(path) }));
    const lists = readLockLists(this.root, hive, (name) => this.normal(name));
    const view = { hive: before[1].stat === undefined ? undefined : outsideGuard(tools), entries: lists.entries };
    const watched = [...before, ...lists.watched].flatMap(({ path, stat }) =>
      stat === undefined ? [] : [{ path, stat }],
    );
    const rested = this.clock() / MILLI - RESTED_MS_MIN;
    if (watched.every(({ stat }) => stat.ctimeMs < rested && stat.mtimeMs < rested)) {
      this.known = { watched, view };
    }
    return view;
  }

  /** The view under the hive's own lock. Nothing else in the hive is opened for it. */
  private locked(lock: BigIntStats): View {
    const told = firstLine(join(this.root, HIVE_FOLDER, HIVE_LOCK), lock);
    const hive: Lock = {
      kind: "do-not-erase",
      source: "rotg-2",
      declaredIn: `${HIVE_FOLDER}/${HIVE_LOCK}`,
      reason: told === "" ? "the whole hive is locked" : `the whole hive is locked: ${told}`,
    };
    // Whoever set the lock kept the lists aside, so that what they say of other files is still known.
    const aside = join(this.root, MIRROR_FOLDER, `lists-${lock.ino}-${lock.ctimeMs}`);
    if (stats(aside) !== undefined) {
      return { hive, entries: readLockLists(this.root, aside, (name) => this.normal(name)).entries };
    }
    return {
      hive,
      elsewhere: { ...hive, reason: `${hive.reason}; what its lists say of other files is unknown` },
      entries: [],
    };
  }

  private verdict(view: View, path: string, access: Access, content?: Uint8Array): Lock | undefined {
    if (view.hive !== undefined && relative(this.root, path).split(sep)[0] === HIVE_FOLDER) {
      // By its name alone: under the hive's lock nothing in it is even looked at.
      return view.hive;
    }
    const forms = this.forms(path);
    for (const form of forms) {
      if (view.hive !== undefined && form[0] === this.normal(HIVE_FOLDER)) {
        return view.hive;
      }
      if (view.elsewhere !== undefined && form[0] !== this.normal(MIRROR_FOLDER)) {
        return view.elsewhere;
      }
      if (form.some((name) => name.includes("\ufffd"))) {
        return uncertain("its name is not text, and can't be compared with the locks");
      }
    }
    const now = this.clock();
    const inForce = view.entries.filter(
      (entry) => forbids(entry.kind, access) && (entry.expires === undefined || now < entry.expires),
    );
    const covering = inForce.find((entry) => this.isCovered(entry, forms, path, access));
    const hashed = inForce.filter((entry) => entry.hash !== undefined);
    if (covering !== undefined || hashed.length === 0) {
      return covering;
    }
    const hashes = [fileHash(path), content && `sha256:${createHash("sha256").update(content).digest("hex")}`];
    return hashed.find((entry) => hashes.includes(entry.hash));
  }

  private isCovered({ pattern, kind }: LockEntry, forms: string[][], path: string, access: Access): boolean {
    if (pattern === undefined) {
      return false;
    }
    const covers = (form: string[]): boolean =>
      pattern.covers(form) ||
      // What is kept in the mirror is as secret as what it mirrors.
      (kind === "dnr" &&
        form[0] === this.normal(MIRROR_FOLDER) &&
        pattern.covers([this.normal(HIVE_FOLDER), ...form.slice(1)]));
    if (forms.some(covers)) {
      return true;
    }
    const top = forms.find((form) => pattern.mayCoverBelow(form));
    return access !== "read" && top !== undefined && this.holdsCovered(pattern, path, top, { left: BELOW_MAX });
  }

  /** Whether something in a folder is covered: what is done to the folder would be done to that. */
  private holdsCovered(pattern: LockPattern, folder: string, form: string[], search: { left: number }): boolean {
    if (stats(folder)?.isDirectory() !== true || !pattern.mayCoverBelow(form)) {
      return false;
    }
    return readdirSync(folder).some((name) => {
      const below = [...form, this.normal(name)];
      return (
        --search.left < 0 || pattern.covers(below) || this.holdsCovered(pattern, join(folder, name), below, search)
      );
    });
  }

  /**
   * Under which names, below the root, a path is known to the locks: as given, where it leads, and in the main tree.
   */
  private forms(path: string): string[][] {
    const places = new Set([path, real(path), join(real(dirname(path)), basename(path))]);
    for (const place of [...places]) {
      const first = relative(this.root, place).split(sep)[0];
      if (first !== HIVE_FOLDER && first !== MIRROR_FOLDER) {
        const tree = gitTreeAround(dirname(place));
        if (tree.kind === "linked") {
          places.add(counterpart(tree, place));
        }
      }
    }
    const below = [...places].map((place) => relative(this.root, place).split(sep));
    return below
      .filter((names) => names[0] !== ".." && !/^[A-Za-z]:$/.test(names[0]))
      .map((names) => names.filter((name) => name !== "").map((name) => this.normal(name)));
  }

  /** How a name is written to be compared: what looks alike to the file system is alike. */
  private normal(name: string): string {
    this.folds ??= isSame(stats(join(this.root, HIVE_FOLDER)), stats(join(this.root, HIVE_FOLDER.toUpperCase())));
    const composed = name.normalize("NFC");
    return this.folds ? composed.toUpperCase().toLowerCase() : composed;
  }
}

/** The lock of an outside guard, if there is one in the tools folder. */
function outsideGuard(tools: string): Lock | undefined {
  const name = readdirSync(tools).find((tool) => /^policy_guard(?:\.|$)/.test(tool));
  return name === undefined
    ? undefined
    : {
        kind: "do-not-alter",
        source: "policy_guard",
        declaredIn: `${HIVE_FOLDER}/tools/${name}`,
        reason: "the hive has an outside guard, which this adapter does not run",
      };
}

/** What somebody wrote into the lock, which never decides anything. */
function firstLine(path: string, lock: BigIntStats): string {
  if (!lock.isFile()) {
    return "";
  }
  try {
    // Neither led elsewhere nor made to wait by what takes its place meanwhile.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(REASON_BYTES_MAX);
      return buffer.subarray(0, readSync(file, buffer)).toString("utf8").split("\n", 1)[0].trim();
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

function uncertain(reason: string): Lock {
  return { kind: "dnr", source: "uncertain", declaredIn: HIVE_FOLDER, reason };
}

function stats(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return (
    one !== undefined &&
    other !== undefined &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.ctimeNs === other.ctimeNs &&
    one.mtimeNs === other.mtimeNs
  );
}

/** The path without symbolic links, as far as it exists. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) {
      throw e;
    }
    return join(real(dirname(path)), basename(path));
  }
}

/** The hash of what is there, in pieces; undefined if that is no file. */
function fileHash(path: string): string | undefined {
  const place = real(path);
  const stat = stats(place);
  if (stat === undefined || !stat.isFile()) {
    return undefined;
  }
  if (stat.size > HASHED_BYTES_MAX) {
    throw new RangeError(`found more than ${HASHED_BYTES_MAX} bytes`);
  }
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(64 * 1024);
  const file = openSync(place, "r");
  try {
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer)) {
      hash.update(buffer.subarray(0, length));
    }
  } finally {
    closeSync(file);
  }
  return `sha256:${hash.digest("hex")}`;
}
