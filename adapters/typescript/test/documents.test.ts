import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { it } from "node:test";
import { capabilities } from "../src/index.js";
import { REPOSITORY } from "./vectors.js";

const PACKAGE = join(REPOSITORY, "adapters/typescript");
const README = join(PACKAGE, "README.md");
const GUIDE = join(REPOSITORY, "docs/guide/typescript.md");

/** What the samples leave to whoever reads them. */
const GIVEN = "declare function work(env: unknown, bodyMd: string): Promise<void>;\n";

for (const page of [README, GUIDE]) {
  it(`the samples in ${basename(page)} compile`, () => {
    const blocks = [...readFileSync(page, "utf8").matchAll(/^```ts\n([^]*?)^```$/gm)].map((found) => found[1]);
    assert.ok(blocks.length > 0);
    // Inside the package, which knows itself by its name.
    const file = join(PACKAGE, "target/samples", `${basename(page, ".md")}.ts`);
    mkdirSync(join(PACKAGE, "target/samples"), { recursive: true });
    writeFileSync(file, GIVEN + blocks.join("\n"));
    const options = [
      "--noEmit",
      "--strict",
      "--target",
      "ES2022",
      "--module",
      "NodeNext",
      "--types",
      "node",
      "--skipLibCheck",
    ];
    execFileSync(process.execPath, [join(PACKAGE, "node_modules/typescript/bin/tsc"), ...options, file], {
      cwd: PACKAGE,
      encoding: "utf8",
    });
  });
}

it("the README lists every file", () => {
  const readme = readFileSync(README, "utf8");
  const missing = readdirSync(join(PACKAGE, "src"))
    .map((name) => basename(name, ".ts"))
    .filter((name) => name !== "index" && !readme.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

it("the package has no dependencies, and says which versions it is built with", () => {
  const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  assert.equal(manifest.dependencies, undefined);
  assert.ok(Object.values(manifest.devDependencies).every((version) => /^\d+\.\d+\.\d+$/.test(version)));
  assert.doesNotMatch(readFileSync(join(PACKAGE, "package-lock.json"), "utf8"), /"resolved"|https?:/);
});

it("what can't be promised is declared", () => {
  assert.equal(capabilities.attendedClaims, false);
  assert.equal(capabilities.lockWindow, "one operation");
  const [, promises] = readFileSync(GUIDE, "utf8").split("## What it can't promise");
  const named = [...promises.matchAll(/`([a-z]+[A-Z]?\w*)`[,)]/g)].map((found) => found[1]);
  assert.deepEqual(named.sort(), Object.keys(capabilities).sort());
});
