import * as fs from "node:fs";
import { constants } from "node:fs";
import { dirname, join } from "node:path";
import { forcesNamesWithFile } from "./file-system.js";
import type { Guard } from "./guard.js";

/** Not on every platform; where it is missing, the lstat before each opening has to do. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
const LINE_FEED = 0x0a;

/** What became of content that was to get a name; "unconfirmed" if it has the name and a power cut may undo that. */
export type Published = "published" | "taken" | "unconfirmed";

/**
 * The only way to the files of a hive: asks the guard immediately before each operation.
 *
 * The operations are synchronous on purpose: nothing else of this process runs between the look for locks and the act,
 * so that the window in which a new lock goes unnoticed is one operation.
 */
export class GuardedFiles {
  constructor(private readonly guard: Guard) {}

  require(path: string, access: "read" | "write" | "erase"): void {
    this.guard.require(path, access);
  }

  /** What the name itself is, a link not followed; undefined if there is none. */
  stat(path: string): fs.BigIntStats | undefined {
    this.guard.require(path, "read");
    return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  }

  isSameFile(one: string, other: string): boolean {
    const [ours, theirs] = [this.stat(one), this.stat(other)];
    return ours !== undefined && theirs !== undefined && ours.ino === theirs.ino && ours.dev === theirs.dev;
  }

  /** The names in a folder, in their order; none if there is no such folder. */
  list(folder: string): string[] {
    this.guard.require(folder, "read");
    return absentAs([], () => fs.readdirSync(folder)).sort();
  }

  /** The content of a regular file, at most `bytesMax`; undefined if there is no such name. Fails on anything else. */
  read(file: string, bytesMax: number): Buffer | undefined {
    const size = this.sizeOf(file);
    if (size !== undefined && size > bytesMax) {
      throw new RangeError(`${file}: found ${size} bytes, expected at most ${bytesMax} bytes`);
    }
    return size === undefined ? undefined : this.readPart(file, 0, size);
  }

  /** The last bytes of a regular file, at most `bytesMax`; undefined if there is no such name. */
  readTail(file: string, bytesMax: number): Buffer | undefined {
    const size = this.sizeOf(file);
    return size === undefined ? undefined : this.readPart(file, Math.max(0, size - bytesMax), Math.min(size, bytesMax));
  }

  /** How long a regular file is; undefined if there is no such name. Fails on anything else. */
  sizeOf(file: string): number | undefined {
    const stat = this.stat(file);
    if (stat !== undefined && !stat.isFile()) {
      throw new RangeError(`${file}: found no regular file, expected one`);
    }
    return stat === undefined ? undefined : Number(stat.size);
  }

  /** So many bytes of a regular file from `start` on, fewer if it ends before; undefined if there is no such name. */
  readPart(file: string, start: number, bytes: number): Buffer | undefined {
    this.guard.require(file, "read");
    return absentAs(undefined, () =>
      opened(file, constants.O_RDONLY | NO_FOLLOW, (open) => {
        // What was added since then is for the next reader.
        const buffer = Buffer.alloc(bytes);
        let length = 0;
        for (let read = -1; read !== 0 && length < buffer.length; length += read) {
          read = fs.readSync(open, buffer, length, buffer.length - length, start + length);
        }
        return buffer.subarray(0, length);
      }),
    );
  }

  /** Makes a file that is not there yet, readable by its owner alone; on the disk when this returns. */
  create(file: string, content: Uint8Array): void {
    this.guard.require(file, "write", content);
    opened(file, NEW, (open) =>
      whole(file, () => {
        writeAll(open, content);
        fs.fsyncSync(open);
      }),
    );
  }

  /** Forces a file that somebody else wrote, and its name, to the disk; false if it is gone. */
  force(file: string): boolean {
    this.guard.require(file, "read");
    const isThere = absentAs(false, () =>
      opened(file, constants.O_RDONLY | NO_FOLLOW, (open) => {
        fs.fsyncSync(open);
        return true;
      }),
    );
    if (isThere) {
      this.syncNamesOfForced(dirname(file));
    }
    return isThere;
  }

  /**
   * Holds a file open while `act` gives it other names. What `act` is given forces that very file, whatever it is called
   * by then. Undefined if there is no such file.
   */
  holding<T>(file: string, act: (force: () => void) => T): T | undefined {
    this.guard.require(file, "read");
    const open = absentAs(undefined, () => fs.openSync(file, constants.O_RDONLY | NO_FOLLOW));
    if (open === undefined) {
      return undefined;
    }
    try {
      return act(() => fs.fsyncSync(open));
    } finally {
      fs.closeSync(open);
    }
  }

  /** Gives a file one more name, which must be free. */
  link(existing: string, name: string): void {
    this.guard.require(existing, "read");
    this.guard.require(name, "write");
    fs.linkSync(existing, name);
  }

  rename(from: string, to: string): void {
    this.guard.require(from, "erase");
    this.guard.require(to, "write");
    fs.renameSync(from, to);
  }

  /** Takes a name away; not an error if it is gone. */
  remove(name: string): void {
    this.guard.require(name, "erase");
    absentAs(undefined, () => fs.unlinkSync(name));
  }

  /** Makes a folder and those above it, each on the disk; nothing if it is there. */
  createFolder(folder: string): void {
    this.guard.require(folder, "write");
    const missing: string[] = [];
    for (let at = folder; fs.lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
      missing.unshift(at);
    }
    for (const name of missing) {
      this.guard.require(name, "write");
      try {
        fs.mkdirSync(name);
      } catch (e) {
        if (!hasCode(e, "EEXIST")) {
          throw e;
        }
      }
      forceFolder(dirname(name));
    }
  }

  /** Forces the names in a folder to the disk. A failure is not tried again: the kernel would have forgotten it. */
  sync(folder: string): void {
    this.guard.require(folder, "read");
    forceFolder(folder);
  }

  /** Forces the names in a folder whose files were forced, where the file system does not do both at once. */
  syncNamesOfForced(folder: string): void {
    this.guard.require(folder, "read");
    if (!forcesNamesWithFile(folder)) {
      forceFolder(folder);
    }
  }

  /** Sets a file's time of change: a sign of life. */
  touch(file: string, millis: number): void {
    this.guard.require(file, "write");
    fs.utimesSync(file, new Date(millis), new Date(millis));
  }

  /** Appends one whole line by one write, on a line of its own even if the file's last one was never ended. */
  append(file: string, line: Uint8Array, { sync }: { sync: boolean }): void {
    const stat = this.stat(file);
    if (stat === undefined) {
      this.createFolder(dirname(file));
    } else if (!stat.isFile()) {
      // Opening a pipe would wait for ever, and a link could lead anywhere.
      throw new RangeError(`${file}: found no regular file, expected one`);
    }
    this.guard.require(file, "write");
    opened(file, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW, (open) => {
      const last = Buffer.alloc(1, LINE_FEED);
      const { size } = fs.fstatSync(open);
      if (size > 0) {
        fs.readSync(open, last, 0, 1, size - 1);
      }
      writeAll(open, last[0] === LINE_FEED ? line : Buffer.concat([Buffer.of(LINE_FEED), line]));
      if (sync) {
        fs.fsyncSync(open);
      }
    });
    if (sync && stat === undefined) {
      this.sync(dirname(file));
    }
  }

  /** Appends bytes that are no line, to a file that may be lost. */
  appendBytes(file: string, bytes: Uint8Array): void {
    this.createFolder(dirname(file));
    this.guard.require(file, "write");
    opened(file, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW, (open) =>
      writeAll(open, bytes),
    );
  }

  /**
   * Publishes `content` as `folder/name`: written aside in `drafts`, forced to the disk, then given its name by a hard
   * link. Not by a rename, which would silently replace what has that name. Says "taken" if the name is, and
   * "unconfirmed" if it is there, but the disk did not confirm it.
   */
  publish(
    folder: string,
    name: string,
    draftName: string,
    content: Uint8Array,
    drafts = join(folder, ".tmp"),
  ): Published {
    this.createFolder(folder);
    this.createFolder(drafts);
    const draft = join(drafts, draftName);
    this.create(draft, content);
    return this.named(draft, join(folder, name)) ? confirmed(() => this.sync(folder)) : "taken";
  }

  /**
   * As `publish`, by one force: the content gets its name, and is then forced with it by the handle that wrote it. A
   * power cut before may leave the name with a part of the content: only for inboxes, whose readers expect that.
   */
  publishAtOnce(folder: string, name: string, draftName: string, content: Uint8Array): Published {
    const drafts = join(folder, ".tmp");
    this.createFolder(drafts);
    const draft = join(drafts, draftName);
    this.guard.require(draft, "write", content);
    return opened(draft, NEW, (open) => {
      whole(draft, () => writeAll(open, content));
      if (!this.named(draft, join(folder, name))) {
        return "taken";
      }
      return confirmed(() => {
        fs.fsyncSync(open);
        this.syncNamesOfForced(folder);
      });
    });
  }

  /** Gives a draft its name, unless that is taken; says whether it was free. The draft's own name goes in any case. */
  private named(draft: string, name: string): boolean {
    try {
      this.link(draft, name);
      return true;
    } catch (e) {
      if (hasCode(e, "EEXIST")) {
        return false;
      }
      throw e;
    } finally {
      try {
        this.remove(draft);
      } catch {
        // It is published or not by now; recovery removes old drafts.
      }
    }
  }
}

/** The name is there whether or not the disk confirms it. */
function confirmed(force: () => void): Published {
  try {
    force();
    return "published";
  } catch {
    return "unconfirmed";
  }
}

/** Writes all of a new file: a part of it is of no use, and takes what room is left. */
function whole(file: string, write: () => void): void {
  try {
    write();
  } catch (e) {
    fs.unlinkSync(file);
    throw e;
  }
}

export function hasCode(e: unknown, code: string): boolean {
  return e instanceof Error && (e as NodeJS.ErrnoException).code === code;
}

function absentAs<T>(absent: T, act: () => T): T {
  try {
    return act();
  } catch (e) {
    if (hasCode(e, "ENOENT")) {
      return absent;
    }
    throw e;
  }
}

function opened<T>(path: string, flags: number, act: (open: number) => T): T {
  const open = fs.openSync(path, flags, 0o600);
  try {
    return act(open);
  } finally {
    fs.closeSync(open);
  }
}

function forceFolder(folder: string): void {
  opened(folder, constants.O_RDONLY, (open) => fs.fsyncSync(open));
}

/** One write, as a rule; the rest of one that the disk cut short. */
function writeAll(open: number, content: Uint8Array): void {
  for (let at = 0; at < content.length;) {
    at += fs.writeSync(open, content, at);
  }
}
