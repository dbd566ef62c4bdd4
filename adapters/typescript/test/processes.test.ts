import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { FileTransport, Mail, readEvents, type Draft } from "../src/index.js";
import { Scratch } from "./scratch.js";

const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));
const DRAFT: Draft = { from: "ts", to: ["queen://code"], lane: "Code", topic: "work" };
const RUN_MS_MAX = 120_000;
const KILLS = 8;

/** Another process with this hive open; ended by the end of the test at the latest. */
function start(t: TestContext, hive: Scratch, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [WORKER, hive.root, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: RUN_MS_MAX,
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

async function output(child: ChildProcess): Promise<string[]> {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await once(child, "close");
  return text.split("\n").filter((line) => line !== "");
}

it("of two processes that take from one inbox, each envelope has one winner", async (t) => {
  const hive = new Scratch(t);
  hive.write(".deia/hive.yaml", "sender: {rate: 1000/m}\n");
  const transport = FileTransport.open({ root: hive.root, actor: "ts" });
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) {
    ids.push((await transport.send(DRAFT, `${i}`)).id);
  }
  const taken = await Promise.all([start(t, hive, "take", "one"), start(t, hive, "take", "two")].map(output));
  assert.deepEqual(taken.flat().sort(), ids.sort());
  assert.equal(hive.list(".deia/active/code").length, 0);
  const acks = readEvents(Buffer.from(hive.read(".deia/telemetry/rse.jsonl"))).events.filter(
    ({ type }) => type === "worker_ack",
  );
  assert.equal(acks.length, ids.length);
});

it("a sender that is killed leaves whole envelopes only, and all that it confirmed", async (t) => {
  const hive = new Scratch(t);
  hive.write(".deia/hive.yaml", "sender: {rate: 100000/m, waiting: 100000}\nbackpressure: {depth: 100000}\n");
  const confirmed: string[] = [];
  for (let i = 0; i < KILLS; i++) {
    const child = start(t, hive, "send", `sender-${i}`);
    const lines = output(child);
    // Once it is at work, at a moment that is never the same.
    await once(child.stdout as NodeJS.ReadableStream, "data");
    child.kill("SIGKILL");
    confirmed.push(...(await lines));
  }
  const there = hive.list(".deia/inbox/code");
  for (const name of there) {
    assert.ok(Mail.parse(Buffer.from(hive.read(`.deia/inbox/code/${name}`))).hashMatches(), name);
  }
  assert.ok(confirmed.length >= KILLS);
  assert.deepEqual(
    confirmed.filter((id) => !there.includes(`${id}.md`)),
    [],
  );
  const { bad, held } = readEvents(Buffer.from(hive.read(".deia/telemetry/rse.jsonl")));
  assert.deepEqual([bad.length, held], [0, 0]);
});

it("what the disk has no room for leaves nothing behind", async (t) => {
  const hive = new Scratch(t);
  const index = new URL("../src/index.js", import.meta.url).href;
  const program = `
    const { FileTransport } = await import(${JSON.stringify(index)});
    const transport = FileTransport.open({ root: ${JSON.stringify(hive.root)}, actor: "ts" });
    const sent = await transport.send(${JSON.stringify(DRAFT)}, "x".repeat(5_000));
    console.log(sent.copies[0].outcome);`;
  // Files of this process end at 2 KiB, as those on a full disk end somewhere.
  const script = 'ulimit -f 2 && exec "$0" --input-type=module -e "$1"';
  assert.equal(hive.run("bash", ["-c", script, process.execPath, program]), "failed\n");
  assert.deepEqual(readdirSync(join(hive.root, ".deia/inbox/code/.tmp")), []);
});

it("a process at work leaves the hive alone from the moment a lock is there", async (t) => {
  const hive = new Scratch(t);
  const child = start(t, hive, "send", "sender");
  await once(child.stdout as NodeJS.ReadableStream, "data");
  hive.write(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock", "");
  const kept = ".embargo/inbox/queen-code";
  await until(() => hive.list(kept).length > 1);
  const before = snapshot(hive);
  const count = hive.list(kept).length;
  await until(() => hive.list(kept).length > count + 10);
  assert.deepEqual(snapshot(hive), before);
  child.kill("SIGKILL");
  await once(child, "close");
});

/** Everything in the hive, with the time of its last change. */
function snapshot(hive: Scratch): string[] {
  const names = readdirSync(join(hive.root, ".deia"), { recursive: true, encoding: "utf8" });
  return names.sort().map((name) => `${name} ${lstatSync(join(hive.root, ".deia", name)).ctimeMs}`);
}

/** Waits for a condition, with a bound. */
async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + RUN_MS_MAX; !condition();) {
    assert.ok(Date.now() < end, "it did not come to that");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
