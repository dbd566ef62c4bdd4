import assert from "node:assert/strict";
import { linkSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { FileTransport, type Draft, type Received } from "../src/index.js";
import { Scratch } from "./scratch.js";

const DRAFT: Draft = {
  from: "ts",
  to: ["queen://code"],
  lane: "Code",
  topic: "please review",
  id: "01JBRM7XCN6E9M6KQGM6K3J3E5",
};

/** A hive, and a clock that tests move. */
function open(t: TestContext): { hive: Scratch; transport: FileTransport; time: { ms: number } } {
  const hive = new Scratch(t);
  const time = { ms: Date.now() };
  return { hive, time, transport: FileTransport.open({ root: hive.root, actor: "ts", clock: () => time.ms }) };
}

async function taken(transport: FileTransport, inbox = "code"): Promise<Received> {
  const received = await transport.select(inbox);
  assert.ok(received, "nothing is ready");
  return received;
}

describe("a copy with two names of one file, as a power cut may leave it", () => {
  /** One claimed copy, where its file is, and where it was before. */
  async function claimed(t: TestContext) {
    const { hive, transport, time } = open(t);
    await transport.send(DRAFT, "Hello.\n");
    const received = await taken(transport);
    const active = join(hive.root, ".deia/active/code", hive.list(".deia/active/code")[0] as string);
    const mail = join(hive.root, `.deia/inbox/code/${DRAFT.id}.md`);
    return { hive, transport, time, received, active, mail };
  }

  function archived(hive: Scratch, state: string): string[] {
    const folder = `.deia/archive/code/${state}`;
    return hive.list(folder).flatMap((day) => hive.list(`${folder}/${day}`).map((name) => `${folder}/${day}/${name}`));
  }

  async function checkDoneOnce(hive: Scratch, transport: FileTransport): Promise<void> {
    assert.equal(await transport.select("code"), undefined);
    assert.equal(archived(hive, "done").length, 1);
    assert.deepEqual(["dead", "duplicate", "conflict", "expired"].flatMap((state) => archived(hive, state)), []);
    assert.equal(hive.events().filter((type) => type === "worker_ack").length, 1);
  }

  it("is claimed if it is back in the inbox", async (t) => {
    const { hive, transport, received, active, mail } = await claimed(t);
    linkSync(active, mail);
    assert.equal(await transport.select("code"), undefined);
    await transport.ack(received, "done");
    await checkDoneOnce(hive, transport);
  });

  it("comes back with its lease if it is back in the inbox", async (t) => {
    const { hive, transport, time, active, mail } = await claimed(t);
    linkSync(active, mail);
    time.ms += 3_600_000;
    assert.equal(await transport.select("code"), undefined);
    assert.deepEqual(hive.list(".deia/active/code"), []);
    time.ms += 660_000;
    await transport.ack(await taken(transport), "done");
    await checkDoneOnce(hive, transport);
  });

  it("is done if it is back among the claims", async (t) => {
    const { hive, transport, time, received, active } = await claimed(t);
    await transport.ack(received, "done");
    linkSync(join(hive.root, archived(hive, "done")[0] as string), active);
    time.ms += 3_600_000;
    await checkDoneOnce(hive, transport);
  });

  it("is done if it is done and back in the inbox", async (t) => {
    const { hive, transport, received, mail } = await claimed(t);
    await transport.ack(received, "done");
    linkSync(join(hive.root, archived(hive, "done")[0] as string), mail);
    await checkDoneOnce(hive, transport);
  });
});
