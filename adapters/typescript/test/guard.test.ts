import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { FileTransport, Guard, hiveAt, findHive, NoHive, Withheld, type Access } from "../src/index.js";
import { LockPattern } from "../src/lock-pattern.js";
import { sha256 } from "../src/hash.js";
import { parseYaml } from "../src/yaml.js";
import { Scratch } from "./scratch.js";

const HIVE_LOCK = ".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock";
const DRAFT = { from: "ts", to: ["queen://code"], lane: "Code", topic: "hello", id: "01JBRM7XCN6E9M6KQGM6K3J3E5" };

function open(t: TestContext): { hive: Scratch; transport: FileTransport } {
  const hive = new Scratch(t);
  return { hive, transport: FileTransport.open({ root: hive.root, actor: "ts" }) };
}

/** The accesses to `path` that a lock forbids. */
function forbidden(hive: Scratch, path: string): string {
  const guard = new Guard(hive.root);
  return (["read", "write", "erase"] as Access[])
    .filter((access) => guard.check(join(hive.root, path), access))
    .join(" ");
}

describe("under the hive's own lock", () => {
  it("a copy names its inbox, and why it is locked", async (t) => {
    const { hive, transport } = open(t);
    hive.write(HIVE_LOCK, "release freeze\nmore\n");
    const sent = await transport.send(DRAFT, "kept");
    assert.deepEqual(
      sent.copies.map(({ inbox, reason }) => ({ inbox, reason })),
      [{ inbox: "code", reason: "the whole hive is locked: release freeze" }],
    );
  });

  it("a path in the hive is judged by its name alone", (t) => {
    const { hive } = open(t);
    hive.write(HIVE_LOCK, "");
    // Whoever looked there would find a file on the way, and not know what to make of it.
    assert.equal(new Guard(hive.root).check(join(hive.root, HIVE_LOCK, "below"), "read")?.source, "rotg-2");
  });

  it("mail is kept in the mirror, and nothing in the hive is touched", async (t) => {
    const { hive, transport } = open(t);
    hive.write(HIVE_LOCK, "");
    const before = hive.run("find", [".deia"]);
    const sent = await transport.send(DRAFT, "kept");
    assert.deepEqual(
      sent.copies.map(({ outcome }) => outcome),
      ["withheld"],
    );
    assert.equal(sent.path, `.embargo/inbox/queen-code/${sent.id}.md`);
    assert.equal((await transport.send(DRAFT, "kept")).copies[0].outcome, "withheld");
    assert.equal((await transport.send(DRAFT, "other")).copies[0].outcome, "conflict");
    assert.equal(await transport.select("code"), undefined);
    assert.equal(hive.run("find", [".deia"]), before);
    assert.deepEqual(hive.events(".embargo/telemetry/rse.jsonl"), ["policy_guard"]);
    assert.equal(hive.read(".embargo/.gitignore"), "*\n");
    await transport.log.emit({ type: "pheromone_drop", lane: "Code", actor: "ts", data: { topic: "x" } });
    assert.equal(hive.events(".embargo/telemetry/rse.jsonl").length, 2);
    assert.throws(() => transport.events(), Withheld);
    rmSync(join(hive.root, HIVE_LOCK));
    assert.deepEqual(
      transport.events().events.map(({ type }) => type),
      ["policy_guard", "pheromone_drop"],
    );
  });

  it("an outcome is kept, and nobody takes the claim back before it is applied", async (t) => {
    const { hive, transport } = open(t);
    await transport.send(DRAFT, "");
    const held = await transport.select("code");
    assert.ok(held);
    hive.write(HIVE_LOCK, "");
    const settlement = await transport.ack(held, "done", "it works");
    assert.equal(settlement.kind, "withheld");
    assert.match(hive.read(`.embargo/outcome/code/${held.claim}`), /"status":"done","note":"it works","by":"ts"/);
    rmSync(join(hive.root, HIVE_LOCK));
    const later = FileTransport.open({ root: hive.root, actor: "ts", clock: () => Date.now() + 40 * 60_000 });
    assert.equal(await later.select("code"), undefined);
    assert.equal(hive.list(".deia/active/code").length, 1);
  });

  it("a name of any kind is a lock", (t) => {
    const { hive } = open(t);
    symlinkSync("nowhere", join(hive.root, HIVE_LOCK));
    assert.equal(forbidden(hive, ".deia/inbox/code"), "read write erase");
    assert.equal(forbidden(hive, ".embargo/inbox"), "");
    assert.equal(forbidden(hive, "src/main.ts"), "read write erase", "its lists are locked too, so that nobody knows");
  });
});

describe("a lock list", () => {
  it("forbids what its kind forbids, and the strongest wins", (t) => {
    const { hive } = open(t);
    hive.write(".deia/do-not-read/a.yaml", "- path_pattern: secret/**\n  reason: 'keys''s'\n");
    hive.write(".deia/do-not-alter/b.yaml", "path_pattern: docs/*.md\n");
    hive.write(".deia/do-not-erase/c.yaml", "- docs/*\n- {path_pattern: log}\n");
    assert.equal(forbidden(hive, "secret/a/b"), "read write erase");
    assert.equal(forbidden(hive, "docs/a.md"), "write erase");
    assert.equal(forbidden(hive, "docs/a.txt"), "erase");
    assert.equal(forbidden(hive, "log/below"), "erase");
    assert.equal(forbidden(hive, "other"), "");
  });

  it("lets mail into an inbox that may not lose any, and not out", async (t) => {
    const { hive, transport } = open(t);
    hive.write(".deia/do-not-erase/a.yaml", "- .deia/inbox/code/*.md\n");
    assert.equal((await transport.send(DRAFT, "")).copies[0].outcome, "delivered");
    assert.equal(await transport.select("code"), undefined);
    assert.equal(hive.list(".deia/inbox/code").length, 1);
  });

  it("withholds a send to two inboxes if one of them is locked", async (t) => {
    const { hive, transport } = open(t);
    hive.write(".deia/do-not-alter/a.yaml", "- .deia/inbox/ops\n");
    const sent = await transport.send({ ...DRAFT, to: ["queen://code", "queen://ops"] }, "");
    assert.deepEqual(
      sent.copies.map(({ outcome }) => outcome),
      ["withheld", "withheld"],
    );
    assert.deepEqual(hive.list(".deia/inbox/code"), []);
  });

  it("of what may not be read is also one of its mirror", async (t) => {
    const { hive, transport } = open(t);
    hive.write(".deia/do-not-read/a.yaml", "- .deia/inbox/code\n");
    const [copy] = (await transport.send(DRAFT, "")).copies;
    assert.deepEqual([copy.outcome, copy.path], ["withheld", undefined]);
    assert.deepEqual(hive.list(".embargo/inbox/queen-code"), []);
  });

  it("follows content by its hash, where it lies and where it is to be written", (t) => {
    const { hive } = open(t);
    hive.write("copy.txt", "secret\n");
    hive.write(".deia/do-not-read/a.yaml", `- hash: sha256:${sha256("secret\n")}\n`);
    assert.equal(forbidden(hive, "copy.txt"), "read write erase");
    assert.equal(forbidden(hive, "other.txt"), "");
    assert.ok(new Guard(hive.root).check(join(hive.root, "new.txt"), "write", Buffer.from("secret\n")));
  });

  it("ends when it says, a day at its end", (t) => {
    const { hive } = open(t);
    hive.write(
      ".deia/do-not-read/a.yaml",
      "- path_pattern: a\n  expires: 2001-01-01\n- path_pattern: b\n  expires: 2999-01-01T00:00:00Z\n",
    );
    assert.equal(forbidden(hive, "a"), "");
    assert.equal(forbidden(hive, "b"), "read write erase");
  });

  it("that can't be read locks everything", (t) => {
    for (const content of [
      "- path_pattern: [",
      "- *anchor",
      "- path_pattern: a\n  expires: soon\n",
      "- {reason: why}\n",
      "- path_pattern: |\n    a\n",
      "- /etc/**\n",
      Buffer.of(0xff),
    ]) {
      const { hive } = open(t);
      hive.write(".deia/do-not-erase/a.yaml", content);
      assert.equal(forbidden(hive, "anything"), "read write erase", String(content));
    }
  });

  it("that is no file, or that may not be opened, locks everything", (t) => {
    const { hive } = open(t);
    mkdirSync(join(hive.root, ".deia/do-not-erase/folder"), { recursive: true });
    assert.equal(forbidden(hive, "anything"), "read write erase");
    const other = open(t).hive;
    writeFileSync(join(other.root, ".deia/do-not-read"), "");
    chmodSync(join(other.root, ".deia/do-not-read"), 0);
    assert.equal(forbidden(other, "anything"), "read write erase");
  });

  it("holds where a link leads, and for the link's own name", (t) => {
    const { hive } = open(t);
    hive.write("secret/key", "");
    symlinkSync(join(hive.root, "secret"), join(hive.root, "door"));
    hive.write(".deia/do-not-read/a.yaml", "- secret\n- alias\n");
    symlinkSync(join(hive.root, ".deia"), join(hive.root, "alias"));
    assert.equal(forbidden(hive, "door/key"), "read write erase");
    assert.equal(forbidden(hive, "alias"), "read write erase");
    assert.equal(forbidden(hive, "public/../secret/new"), "read write erase");
  });

  it("is seen as soon as it is there", async (t) => {
    const { hive, transport } = open(t);
    assert.equal((await transport.send(DRAFT, "")).copies[0].outcome, "delivered");
    hive.write(".deia/do-not-alter/a.yaml", "- .deia\n");
    assert.equal((await transport.send({ ...DRAFT, id: undefined }, "")).copies[0].outcome, "withheld");
    rmSync(join(hive.root, ".deia/do-not-alter/a.yaml"));
    assert.equal((await transport.send({ ...DRAFT, id: undefined }, "")).copies[0].outcome, "delivered");
  });
});

it("an outside guard is a lock, because it is not run here", async (t) => {
  const { hive, transport } = open(t);
  hive.write(".deia/tools/policy_guard.sh", "exit 0\n");
  assert.equal((await transport.send(DRAFT, "")).copies[0].outcome, "withheld");
});

it("patterns are globs, of which ** goes through folders", () => {
  const covers = (pattern: string, path: string): boolean => new LockPattern(pattern).covers(path.split("/"));
  for (const [pattern, path] of [
    "a a/b/c",
    "**/*.pem x/y/k.pem",
    "**/*.pem k.pem",
    "{a,b{c,d}}/* bd/x",
    "[!a-c]? xy",
    "a**z a/b/z",
    "./a/../b b",
    "./ x",
    "\\* *",
    "[]] ]",
  ].map((line) => line.split(" "))) {
    assert.ok(covers(pattern, path), `${pattern} covers ${path}`);
  }
  for (const [pattern, path] of ["a b", "*.pem x/k.pem", "[!a-c] b", "a/*/c a/c", "\\* x"].map((line) =>
    line.split(" "),
  )) {
    assert.ok(!covers(pattern, path), `${pattern} does not cover ${path}`);
  }
  for (const pattern of ["", "../a", "{a", "[a", "a\\", "a/../..", "!a", "/a", "~/a", "{a,/b}/**", "C:/a"]) {
    assert.throws(() => new LockPattern(pattern), RangeError, pattern);
  }
});

it("configuration is read as YAML reads it, and refused where it is more than that", () => {
  const yaml =
    '---\n# comment\na: 1 # one\nb: [x, \'y: z\', "q\\""]\nc:\n- d: {e: f, g: [h]}\n  i: ttl/4\n- j\nk:\n  l:\n';
  const plain = JSON.stringify(parseYaml(Buffer.from(yaml)), (_, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  );
  assert.equal(
    plain,
    '{"a":"1","b":["x","y: z","q\\""],"c":[{"d":{"e":"f","g":["h"]},"i":"ttl/4"},"j"],"k":{"l":null}}',
  );
  for (const bad of [
    "a: 1\na: 2",
    "a: &x 1",
    "a: !t 1",
    "a: |\n  b",
    "a: b: c",
    "a:\n\tb: 1",
    "a: 'x",
    "a: [b",
    "a\n  b",
    "a: 1\n---\nb: 2",
    "a: b\n  c",
  ]) {
    assert.throws(() => parseYaml(Buffer.from(bad)), /line \d/, bad);
  }
});

describe("a hive is found", () => {
  it("in the nearest folder above", (t) => {
    const { hive } = open(t);
    mkdirSync(join(hive.root, "a/b"), { recursive: true });
    assert.equal(findHive(join(hive.root, "a/b")), hive.root);
    assert.throws(() => hiveAt(join(hive.root, "a")), NoHive);
  });

  it("in the main work tree, from a linked one", (t) => {
    const { hive } = open(t);
    const git = (...args: string[]): string =>
      hive.run("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args]);
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("worktree", "add", "-q", "side");
    const side = join(hive.root, "side");
    assert.equal(findHive(side), hive.root);
    mkdirSync(join(side, ".deia"));
    assert.equal(findHive(side), hive.root, "a second hive is never made by accident");
    assert.equal(hiveAt(side), hive.root);
    writeFileSync(join(side, ".deia/hive.yaml"), "separate: true\n");
    assert.equal(findHive(side), side);
    hive.write(".deia/do-not-alter/a.yaml", "- src\n");
    assert.ok(new Guard(hive.root).check(join(side, "src/x"), "write"), "locks hold in every work tree");
  });
});
