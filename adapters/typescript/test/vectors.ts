import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository that these tests belong to. */
export const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "../../../..");

const FOLDER = join(REPOSITORY, "spec/vectors");

/** One case of the protocol: what a reader must answer, and the raw bytes. */
export interface Vector {
  readonly name: string;
  readonly expect: string;
  readonly keys: ReadonlyMap<string, string>;
  readonly content: Uint8Array;
}

export function families(): string[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

export function vectors(family: string): Vector[] {
  return readdirSync(join(FOLDER, family)).map((name) => parse(name, readFileSync(join(FOLDER, family, name))));
}

/** The words of a value that separates them with spaces. */
export function words(vector: Vector, key: string): string[] {
  return (vector.keys.get(key) ?? "").split(" ").filter((word) => word !== "");
}

function parse(name: string, bytes: Buffer): Vector {
  const end = bytes.indexOf("\n\n");
  const keys = new Map<string, string>();
  for (const line of bytes.toString("ascii", 0, end).split("\n")) {
    const [, key, value] = /^([a-z][a-z0-9_]*):(?: (.*))?$/.exec(line) ?? [];
    if (key === undefined || keys.has(key)) {
      throw new Error(`${name}: found "${line}", expected a new key and a value`);
    }
    const unescaped = (value ?? "").replace(/\\u([0-9a-f]{4})/g, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    );
    keys.set(key, unescaped);
  }
  return { name, expect: keys.get("expect") ?? "", keys, content: Uint8Array.from(bytes.subarray(end + 2)) };
}
