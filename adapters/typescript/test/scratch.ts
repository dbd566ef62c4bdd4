import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { REPOSITORY } from "./vectors.js";

const RUN_MS_MAX = 60_000;

/** A hive of its own for one test, thrown away after it. */
export class Scratch {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "pheromone-")));

  constructor(t: TestContext, inboxes = ["code", "ops"]) {
    t.after(() => rmSync(this.root, { recursive: true, force: true }));
    inboxes.forEach((inbox) => mkdirSync(join(this.root, ".deia/inbox", inbox, ".tmp"), { recursive: true }));
  }

  /** The names in a folder of the hive root that begin with no dot; none if there is no such folder. */
  list(folder: string): string[] {
    const path = join(this.root, folder);
    return existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith(".")) : [];
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  write(file: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    writeFileSync(join(this.root, file), content);
  }

  /** The types of all events so far. */
  events(log = ".deia/telemetry/rse.jsonl"): string[] {
    const lines = existsSync(join(this.root, log)) ? this.read(log).trimEnd().split("\n") : [];
    return lines.map((line) => (JSON.parse(line) as { type: string }).type);
  }

  run(command: string, args: string[], environment: Record<string, string> = {}): string {
    const options: ExecFileSyncOptionsWithStringEncoding = {
      cwd: this.root,
      encoding: "utf8",
      timeout: RUN_MS_MAX,
      env: {
        ...process.env,
        RSM_NO_BUILD: "1",
        RSM_ACTOR: "java",
        HOME: this.root,
        XDG_CONFIG_HOME: join(this.root, ".config"),
        ...environment,
      },
    };
    return execFileSync(command, args, options);
  }

  rsm(...args: string[]): string {
    return this.run(join(REPOSITORY, "rsm"), args);
  }
}

/** Whether `rsm` is built; if not, the test says that it did not run, which a CI service takes for a failure. */
export function hasRsm(t: TestContext): boolean {
  if (existsSync(join(REPOSITORY, "target/rsm/stamp"))) {
    return true;
  }
  if (process.env.CI === "true") {
    throw new Error("target/rsm is not there, expected ./rsm to be built before these tests");
  }
  t.skip("rsm is not built");
  return false;
}
