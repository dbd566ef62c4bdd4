import assert from "node:assert/strict";
import fs from "node:fs";
import { linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { FileTransport, NoSuchInbox, seal, Signer, type Draft, type Received } from "../src/index.js";
import { Claims } from "../src/claims.js";
import { FileInbox } from "../src/file-inbox.js";
import { typeOf } from "../src/file-system.js";
import { GuardedFiles } from "../src/guarded-files.js";
import { Hive } from "../src/hive.js";
import { History } from "../src/history.js";
import { newId } from "../src/id.js";
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

/** What `act` forces to the disk, one after the other: the name that a file has by then, or a folder's. */
async function forces(act: () => Promise<unknown>): Promise<string[]> {
  const forced: string[] = [];
  const real = fs.fsyncSync;
  fs.fsyncSync = (open: number): void => {
    forced.push(fs.readlinkSync(`/proc/self/fd/${open}`));
    real(open);
  };
  syncBuiltinESMExports();
  try {
    await act();
  } finally {
    fs.fsyncSync = real;
    syncBuiltinESMExports();
  }
  // One of 256 folders, which is made when it is needed first.
  return forced.filter((name) => !name.endsWith("/seen/code"));
}

async function taken(transport: FileTransport, inbox = "code"): Promise<Received> {
  const received = await transport.select(inbox);
  assert.ok(received, "nothing is ready");
  return received;
}

describe("send", () => {
  it("puts one whole file into the inbox, and tells it", async (t) => {
    const { hive, transport } = open(t);
    const sent = await transport.send(DRAFT, "Hello.\n");
    assert.equal(sent.path, `.deia/inbox/code/${sent.id}.md`);
    assert.match(hive.read(sent.path as string), /^---\nid: 01JBRM7XCN6E9M6KQGM6K3J3E5\nts: [^]*\n---\nHello\.\n$/);
    assert.deepEqual(hive.events(), ["pheromone_drop", "rsm_envelope_emit"]);
    assert.deepEqual(hive.list(".deia/inbox/code/.tmp"), []);
  });

  it("sends mail again in place of its torn file", async (t) => {
    for (const percent of [0, 20, 99]) {
      const { hive, transport } = open(t);
      const whole = hive.read((await transport.send(DRAFT, "Do it, and do it well.\n")).copies[0].path ?? "");
      const file = `.deia/inbox/code/${hive.list(".deia/inbox/code")[0]}`;
      hive.write(file, whole.slice(0, Math.floor((whole.length * percent) / 100)));
      assert.equal((await transport.send(DRAFT, "Do it, and do it well.\n")).copies[0].outcome, "delivered");
      assert.equal(hive.read(file), whole);
    }
  });

  it("archives what somebody edited while it waited, with the reason", async (t) => {
    const { hive, transport } = open(t);
    const path = (await transport.send(DRAFT, "Do it.\n")).path as string;
    const whole = hive.read(path);
    const edited = whole.replace("Do it.", "Do it tomorrow.");
    hive.write(path, edited);
    assert.equal((await transport.send(DRAFT, "Do it.\n")).copies[0].outcome, "delivered");
    assert.equal(hive.read(path), whole);
    assert.deepEqual(hive.list(".deia/inbox/code/.tmp"), []);
    const day = `.deia/archive/code/dead/${hive.list(".deia/archive/code/dead")[0]}`;
    const [buried] = hive.list(day);
    assert.equal(hive.read(`${day}/${buried}`), edited);
    const name = buried.slice(0, -".md".length);
    const reason = `an unfinished send: hash: it doesn't match the body; it was ${path}`;
    const dead = transport.events().events.find(({ type }) => type === "rsm_envelope_dead");
    assert.deepEqual([dead?.lane, dead?.data.id, dead?.data.reason], ["Ops", name, reason]);
    const { what, status, note } = JSON.parse(hive.read(`.deia/status/code/${name}.jsonl`));
    assert.deepEqual([what, status, note], ["outcome", "dead", reason]);
  });

  it("forces one file for a send and one for a done, and their names where that takes more", async (t) => {
    const { hive, transport } = open(t);
    // The first makes folders.
    await transport.send(DRAFT, "Hello.\n");
    await transport.ack(await taken(transport), "done");
    for (const strict of [false, true]) {
      if (strict) {
        hive.write(".deia/strict", "");
      }
      const kind = typeOf(hive.root);
      const isSpared = !strict && ["ext4", "xfs", "btrfs"].includes(kind);
      const id = newId(Date.now());
      const sent = await forces(() => transport.send({ ...DRAFT, id }, "Hello.\n"));
      const received = await taken(transport);
      const done = await forces(() => transport.ack(received, "done"));
      // By the handle that wrote it, whose first name is gone by then.
      assert.match(sent[0] ?? "", new RegExp(`/inbox/code/\\.tmp/${id}\\.\\w+ \\(deleted\\)$`));
      assert.match(done[0] ?? "", new RegExp(`/active/code/${id}\\..*\\.md$`));
      assert.equal(sent.length, isSpared ? 1 : 2, `${kind}: ${sent}`);
      assert.equal(done.length, isSpared ? 1 : 3, `${kind}: ${done}`);
      // Whoever finished it may not have come so far.
      const again = [...new Set(await forces(() => transport.send({ ...DRAFT, id }, "Hello.\n")))];
      assert.match(again[0] ?? "", new RegExp(`/seen/code/../${id}\\.[0-9a-f]{64}$`));
      assert.equal(again.length, isSpared ? 1 : 2, `${kind}: ${again}`);
    }
  });

  it("makes one of the same mail sent twice, and keeps the first of two that differ", async (t) => {
    const { hive, transport, time } = open(t);
    await transport.send(DRAFT, "Hello.\n");
    time.ms += 1000;
    assert.equal((await transport.send(DRAFT, "Hello.\n")).copies[0].outcome, "duplicate");
    assert.equal((await transport.send(DRAFT, "Other.\n")).copies[0].outcome, "conflict");
    assert.equal(hive.list(".deia/inbox/code").length, 1);
    const received = await taken(transport);
    assert.equal((await transport.send(DRAFT, "Hello.\n")).copies[0].outcome, "duplicate");
    await transport.ack(received, "done");
    assert.equal((await transport.send(DRAFT, "Hello.\n")).copies[0].outcome, "duplicate");
    assert.equal((await transport.send(DRAFT, "Other.\n")).copies[0].outcome, "conflict");
    assert.deepEqual(hive.list(".deia/inbox/code"), []);
  });

  it("begins no work that it can't count", async (t) => {
    const { hive, transport } = open(t);
    await transport.send(DRAFT, "Hello.\n");
    const claimed = t.mock.method(History.prototype, "claimed", () => {
      throw new Error("no space left on device");
    });
    await assert.rejects(transport.select("code"), /no space left/);
    assert.equal(hive.list(".deia/inbox/code").length, 1);
    claimed.mock.restore();
    const received = await taken(transport);
    t.mock.method(History.prototype, "outcome", () => {
      throw new Error("no space left on device");
    });
    await transport.ack(received, "done");
    assert.deepEqual(hive.list(".deia/active/code").filter((name) => !name.startsWith(".")), []);
  });

  it("gives every recipient a copy, and refuses whom it does not know", async (t) => {
    const { hive, transport } = open(t);
    hive.write(".deia/hive.yaml", "format: 1\ndomains: {code: {lanes: [Code]}, ops: {lanes: [Code, Ops]}}\n");
    const sent = await transport.send({ ...DRAFT, to: ["lane://code", "queen://ops"] }, "");
    assert.deepEqual(
      sent.copies.map((copy) => copy.inbox),
      ["code", "ops"],
    );
    await assert.rejects(transport.send({ ...DRAFT, to: ["queen://cod"] }, ""), NoSuchInbox);
  });

  it("makes an inbox for replies to the sender", async (t) => {
    const { hive, transport } = open(t);
    await transport.send(DRAFT, "");
    assert.ok(hive.list(".deia/inbox").includes("worker-ts"));
  });

  it("refuses when the inbox is full, but for P0", async (t) => {
    const { hive, transport } = open(t);
    hive.write(".deia/hive.yaml", "backpressure:\n  depth: 2\n");
    for (const id of ["01JBRM7XCN6E9M6KQGM6K3J3EA", "01JBRM7XCN6E9M6KQGM6K3J3EB", "01JBRM7XCN6E9M6KQGM6K3J3EC"]) {
      await transport.send({ ...DRAFT, id }, "");
    }
    const [copy] = (await transport.send(DRAFT, "")).copies;
    assert.equal(copy.outcome, "refused");
    assert.ok((copy.retryAfterS ?? 0) >= 5);
    assert.equal((await transport.send({ ...DRAFT, priority: "P0" }, "")).copies[0].outcome, "delivered");
  });

  it("is delayed by old mail from the sixth send in a minute on, and says so", async (t) => {
    const { hive, transport, time } = open(t);
    hive.write(".deia/state/code/backpressure", '{"since":"2026-01-01T00:00:00Z","cause":"age"}\ntold\n');
    const more: Draft = { ...DRAFT, id: undefined };
    for (let i = 0; i < 5; i++) {
      assert.equal((await transport.send(more, `${i}`)).waited, undefined);
    }
    const { waited } = await transport.send(more, "sixth");
    assert.deepEqual(waited, { seconds: 1, reason: "mail there has waited for too long" });
    time.ms += 61_000;
    assert.equal((await transport.send(more, "a minute later")).waited, undefined);
  });

  it("is counted with what other programs send in its name", async (t) => {
    const { hive, transport, time } = open(t);
    const ids = Array.from({ length: 60 }, () => newId(time.ms));
    hive.write(".deia/state/code/senders/ts", ids.map((id) => `${time.ms} ${id} P2 0\n`).join(""));
    assert.equal((await transport.send(DRAFT, "")).copies[0].outcome, "refused");
    time.ms += 61_000;
    assert.equal((await transport.send(DRAFT, "")).copies[0].outcome, "delivered");
    assert.match(hive.read(".deia/state/code/senders/ts"), new RegExp(`\n${time.ms} ${DRAFT.id} P2 0\n$`));
  });

  it("tells of a runaway sender at once, and then once a minute", async (t) => {
    const { hive, transport, time } = open(t);
    hive.write(".deia/hive.yaml", "sender: {waiting: 1}\n");
    const more: Draft = { ...DRAFT, id: undefined };
    for (let i = 0; i < 5; i++) {
      await transport.send(more, `${i}`);
    }
    assert.match(hive.read(".deia/state/code/refused/ts"), /^\d+ found 1 waiting from this sender, .*\n\.{3}$/);
    time.ms += 61_000;
    await transport.send(more, "a minute later");
    const told = transport.events().events.filter(({ type }) => type === "sender_refused");
    assert.deepEqual(
      told.map(({ data }) => [data.sender, data.inbox, data.count]),
      [
        ["ts", "code", 1],
        ["ts", "code", 4],
      ],
    );
    hive.write(".deia/state/code/refused/ts", "nonsense");
    assert.equal((await transport.send(more, "")).copies[0].outcome, "refused");
  });

  it("stops two that answer each other for ever, whoever counted it", async (t) => {
    const { hive, transport, time } = open(t);
    mkdirSync(join(hive.root, ".deia/inbox/worker-java"));
    const lines = Array.from({ length: 20 }, () => `${time.ms} ${newId(time.ms)} P2 0\n`).join("");
    hive.write(".deia/state/worker-java/senders/ts", lines);
    const toJava: Draft = { ...DRAFT, to: ["worker://java"] };
    hive.write(".deia/state/worker-ts/senders/java", lines);
    assert.equal((await transport.send(toJava, "")).copies[0].outcome, "refused");
    hive.write(".deia/state/worker-ts/senders/java", "");
    assert.equal((await transport.send(toJava, "")).copies[0].outcome, "delivered");
  });

  it("clears a ledger of what does not count any more", async (t) => {
    const { hive, transport, time } = open(t);
    const waiting = newId(time.ms);
    hive.write(`.deia/inbox/code/${waiting}.md`, "");
    const gone = Array.from({ length: 2_000 }, () => newId(time.ms));
    hive.write(".deia/state/code/senders/ts", [waiting, ...gone].map((id) => `1700000000000 ${id} P2 0\n`).join(""));
    await transport.send(DRAFT, "");
    const left = hive.read(".deia/state/code/senders/ts").trimEnd().split("\n");
    assert.deepEqual(
      left.map((line) => line.split(" ")[1]),
      [waiting, DRAFT.id],
    );
  });

  it("reads a long ledger from its end, and leaves it as it is", async (t) => {
    const { hive, transport, time } = open(t);
    hive.write(".deia/hive.yaml", "sender: {waiting: 100000}\n");
    const line = (ms: number): string => `${ms} ${newId(time.ms)} P2 0\n`;
    const old = Array.from({ length: 2_000 }, () => line(1_700_000_000_000)).join("");
    const recent = Array.from({ length: 59 }, () => line(time.ms)).join("");
    hive.write(".deia/state/code/senders/ts", `cleared ${old.length}\n${old}${recent}`);
    const outcome = async (): Promise<string | undefined> =>
      (await transport.send({ ...DRAFT, id: undefined }, "")).copies[0]?.outcome;
    assert.equal(await outcome(), "delivered");
    assert.equal(await outcome(), "refused");
    assert.equal(hive.read(".deia/state/code/senders/ts").trimEnd().split("\n").length, 1 + 2_000 + 60);
  });

  it("gives mail the hive's ttl, unless one is given", async (t) => {
    const { hive, transport } = open(t);
    mkdirSync(join(hive.root, ".deia/inbox/user-you"));
    const ttl = async (draft: Partial<Draft>): Promise<string | undefined> => {
      const { path } = await transport.send({ ...DRAFT, id: undefined, ...draft }, "");
      return /^ttl: (.*)$/m.exec(hive.read(path as string))?.[1];
    };
    assert.equal(await ttl({}), "1d");
    assert.equal(await ttl({ to: ["user://you"] }), "7d");
    hive.write(".deia/hive.yaml", "ttl: {default: 3h, user: 9d}\n");
    assert.equal(await ttl({ to: ["user://you", "queen://code"] }), "3h");
    assert.equal(await ttl({ to: ["user://you"] }), "9d");
    assert.equal(await ttl({ ttl: "5m" }), "5m");
  });

  it("refuses what no reader would take", async (t) => {
    const { transport } = open(t);
    await assert.rejects(transport.send({ ...DRAFT, consent: "public" }, ""), /ed25519/);
    await assert.rejects(transport.send({ ...DRAFT, lane: "Kitchen" }, ""), /known lane/);
  });

  it("refuses public mail, because nothing here looks through it", async (t) => {
    const { transport } = open(t);
    const mail = Signer.ed25519("laptop-1", Buffer.alloc(32, 7)).sign(seal({ ...DRAFT, consent: "public" }, ""));
    await assert.rejects(transport.sendMail(mail), /rsm send --consent public --public, .* HttpTransport/);
  });

  it("sends and takes nothing by rules that it does not understand", async (t) => {
    const { hive, transport } = open(t);
    await transport.send(DRAFT, "");
    const key = `{kid: a, algorithm: ed25519, public: "${"0".repeat(64)}", actors: [ada], revokd: 2020-01-01T00:00:00Z}`;
    for (const [file, content] of [
      ["hive", "signature: required\n"],
      ["hive", "backpressure: {age: 1h}\n"],
      ["hive", "domains: {code: {lane: [Code]}}\n"],
      ["hive", "domains: {code: {lanes: [Kitchen]}}\n"],
      ["trust", "key: []\n"],
      ["trust", `keys:\n- ${key}\n`],
    ]) {
      hive.write(`.deia/${file}.yaml`, content);
      await assert.rejects(transport.select("code"), new RegExp(`^RangeError: \\.deia/${file}\\.yaml: `), content);
      hive.write(`.deia/${file}.yaml`, "format: 1\n");
    }
    assert.equal(hive.list(".deia/inbox/code").length, 1);
  });

  it("parks the mail of a muted sender", async (t) => {
    const { hive, transport } = open(t);
    hive.write(".deia/mute/ts.yaml", "actor: ts\nuntil: 2099-01-01T00:00:00Z\n");
    const { copies, id } = await transport.send(DRAFT, "");
    assert.deepEqual(copies, [{ inbox: "code", outcome: "parked", path: `.deia/outbox/muted/ts/code/${id}.md` }]);
  });
});

it("an event that is none is not written", async (t) => {
  const { hive, transport } = open(t);
  const event = { type: "custom", lane: "Ops", actor: "ts", data: {} };
  for (const wrong of [{ data: undefined }, { data: [1] }, { type: "" }, { actor: " " }, { lane: "" }, { ts: "soon" }]) {
    await assert.rejects(transport.log.emit({ ...event, ...(wrong as object) }), RangeError, JSON.stringify(wrong));
  }
  await transport.log.emit(event);
  assert.deepEqual(hive.events(), ["custom"]);
});

describe("recv", () => {
  it("takes the most urgent first, each once, and ends when it is told to", async (t) => {
    const { transport } = open(t);
    const topics: string[] = [];
    await transport.send({ ...DRAFT, id: undefined, topic: "later", priority: "P3" }, "");
    await transport.send({ ...DRAFT, id: undefined, topic: "now", priority: "P0" }, "");
    const end = new AbortController();
    for await (const received of transport.recv("code", { signal: end.signal, pollMs: 5 })) {
      topics.push(received.env.topic);
      assert.deepEqual(await transport.ack(received, "done"), { kind: "settled", state: "done" });
      if (topics.length === 2) {
        end.abort();
      }
    }
    assert.deepEqual(topics, ["now", "later"]);
  });

  it("tells with every event how far the mail may go", async (t) => {
    const { hive, transport } = open(t);
    await transport.send({ ...DRAFT, consent: "private" }, "");
    await transport.ack(await taken(transport), "error", "no");
    const lines = hive.read(".deia/telemetry/rse.jsonl").trimEnd().split("\n");
    const consents = lines.map((line) => (JSON.parse(line) as { data: { consent?: string } }).data.consent);
    assert.deepEqual(new Set(consents), new Set(["private"]));
  });

  it("tells the life of an envelope", async (t) => {
    const { hive, transport } = open(t);
    await transport.send(DRAFT, "");
    await transport.ack(await taken(transport), "done", "merged");
    const expected =
      "pheromone_drop rsm_envelope_emit pheromone_sense rsm_envelope_recv queen_select worker_spawn worker_ack";
    assert.deepEqual(hive.events(), expected.split(" "));
    assert.equal(hive.list(".deia/active/code").length, 0);
    assert.equal(hive.list(".deia/active/code/.running").length, 0);
    assert.deepEqual(transport.problems, []);
  });

  it("gives back what was released at once, and what failed after a pause and a class lower", async (t) => {
    const { transport, time } = open(t);
    await transport.send(DRAFT, "");
    const first = await taken(transport);
    assert.deepEqual(await transport.release(first), { kind: "settled", state: "waiting" });
    const second = await taken(transport);
    assert.equal(second.attempt, 1);
    await transport.ack(second, "error", "the tests fail");
    assert.equal(await transport.select("code"), undefined);
    time.ms += 11_000;
    assert.equal((await taken(transport)).attempt, 2);
  });

  it("takes nothing for a lease that is none", async (t) => {
    const { hive, transport } = open(t);
    await transport.send(DRAFT, "");
    for (const lease of ["0s", "-1s", "soon", "9999999999999999d"]) {
      await assert.rejects(transport.select("code", { lease }), RangeError, lease);
    }
    assert.equal(hive.list(".deia/inbox/code").length, 1);
  });

  it("gives back what another took and failed at since it looked, with its attempt and its pause", async (t) => {
    const { hive, transport, time } = open(t);
    await transport.send(DRAFT, "");
    const rival = new Hive(hive.root, "rival", () => time.ms, () => undefined);
    const { rename } = GuardedFiles.prototype;
    const late = t.mock.method(GuardedFiles.prototype, "rename", function (this: GuardedFiles, ...paths: string[]) {
      late.mock.restore();
      const theirs = new FileInbox(rival, "code", rival.config(), new Map()).select(60);
      assert.ok(theirs);
      new Claims(rival).giveBack("code", theirs.claim, "failed", "no luck", 5);
      rename.call(this, paths[0], paths[1]);
    });
    assert.equal(await transport.select("code"), undefined, "it pauses");
    assert.deepEqual(hive.list(".deia/inbox/code"), [`${DRAFT.id}.md`]);
    time.ms += 9_000;
    assert.equal(await transport.select("code"), undefined, "it still does");
    time.ms += 2_000;
    assert.equal((await taken(transport)).attempt, 2);
  });

  it("takes back a claim whose lease is over; its holder can't finish it any more", async (t) => {
    const { hive, transport, time } = open(t);
    await transport.send(DRAFT, "");
    const lost = await taken(transport);
    time.ms += 31 * 60_000;
    assert.equal(await transport.select("code"), undefined, "it pauses first");
    assert.deepEqual(await transport.ack(lost, "done"), { kind: "lost" });
    assert.ok(hive.events().includes("rsm_envelope_return"));
    time.ms += 11_000;
    assert.equal((await taken(transport)).attempt, 2);
  });

  it("counts a lease of a clock that was ahead from when the file changed", async (t) => {
    const { transport, time } = open(t);
    await transport.send(DRAFT, "");
    time.ms += 5 * 3_600_000;
    const lost = await taken(transport);
    time.ms -= 5 * 3_600_000 - 29 * 60_000;
    assert.equal(await transport.select("code"), undefined);
    assert.equal((await transport.ack(lost, "accepted")).kind, "renewed");
    time.ms += 2 * 60_000 + 29 * 60_000;
    assert.equal(await transport.select("code"), undefined, "it pauses first");
    assert.deepEqual(await transport.ack(lost, "done"), { kind: "lost" });
  });

  it("begins each lease anew when a lock is lifted, even while it looks for those that are over", async (t) => {
    const { hive, transport, time } = open(t);
    await transport.send(DRAFT, "");
    const held = await taken(transport);
    time.ms += 31 * 60_000;
    const stat = GuardedFiles.prototype.stat;
    t.mock.method(GuardedFiles.prototype, "stat", function (this: GuardedFiles, path: string) {
      if (path === join(hive.root, ".deia")) {
        time.ms += 1_000;
        utimesSync(path, time.ms / 1000, time.ms / 1000);
      }
      return stat.call(this, path);
    });
    assert.equal(await transport.select("code"), undefined);
    assert.deepEqual(await transport.ack(held, "done"), { kind: "settled", state: "done" });
  });

  it("renews a lease when work is accepted", async (t) => {
    const { transport, time } = open(t);
    await transport.send(DRAFT, "");
    const held = await taken(transport);
    time.ms += 20 * 60_000;
    assert.equal((await transport.ack(held, "accepted")).kind, "renewed");
    time.ms += 20 * 60_000;
    assert.equal(await transport.select("code"), undefined);
    assert.deepEqual(await transport.ack(held, "done"), { kind: "settled", state: "done" });
  });

  it("takes no other word for done or error", async (t) => {
    const { hive, transport } = open(t);
    await transport.send(DRAFT, "");
    const held = await taken(transport);
    await assert.rejects(transport.ack(held, "failed" as "error"), /status: found "failed"/);
    hive.write(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock", "");
    await assert.rejects(transport.ack(held, "failed" as "error"), /status: found "failed"/);
  });

  it("answers the same to an ack that is said twice", async (t) => {
    const { transport } = open(t);
    await transport.send(DRAFT, "");
    const held = await taken(transport);
    await transport.ack(held, "done");
    assert.deepEqual(await transport.ack(held, "done"), { kind: "settled", state: "done" });
    assert.deepEqual(await transport.release(held), { kind: "lost" });
  });

  it("replaces a mark of work in progress that nobody has any more", async (t) => {
    const { hive, transport } = open(t);
    hive.write(`.deia/active/code/.running/${DRAFT.id}`, "left by a process that died");
    await transport.send(DRAFT, "");
    assert.deepEqual(await transport.ack(await taken(transport), "done"), { kind: "settled", state: "done" });
    assert.equal(hive.run("find", [".deia/active/code/.running", "-type", "f"]), "");
  });

  it("answers the same when its holder says again how it ended", async (t) => {
    const { hive, transport, time } = open(t);
    await transport.send({ ...DRAFT, ttl: "7d" }, "");
    const first = await taken(transport);
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(await transport.ack(first, "error"), { kind: "settled", state: "waiting" });
    }
    assert.deepEqual(await transport.ack(first, "done"), { kind: "lost" });
    assert.deepEqual(await transport.release(first), { kind: "lost" });
    assert.equal(hive.events().filter((type) => type === "rsm_envelope_return").length, 1);
    time.ms += 601_000;
    const second = await taken(transport);
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(await transport.release(second), { kind: "settled", state: "waiting" });
    }
    assert.deepEqual(await transport.ack(second, "error"), { kind: "lost" });
    hive.write(".deia/hive.yaml", "attempts: 2\n");
    const last = await taken(transport);
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(await transport.ack(last, "error"), { kind: "settled", state: "dead" });
    }
  });

  it("is lost to the holder of a lease that is over, whatever it says", async (t) => {
    const { transport, time } = open(t);
    await transport.send({ ...DRAFT, ttl: "7d" }, "");
    const late = await taken(transport);
    time.ms += 31 * 60_000;
    assert.equal(await transport.select("code"), undefined);
    assert.deepEqual(await transport.ack(late, "error"), { kind: "lost" });
    assert.deepEqual(await transport.release(late), { kind: "lost" });
  });

  it("gives up after five attempts", async (t) => {
    const { hive, transport, time } = open(t);
    await transport.send({ ...DRAFT, ttl: "7d" }, "");
    const states: string[] = [];
    for (let attempt = 1; attempt <= 5; attempt++) {
      const settlement = await transport.ack(await taken(transport), "error");
      states.push(settlement.kind === "settled" ? settlement.state : settlement.kind);
      time.ms += 601_000;
    }
    assert.deepEqual(states, ["waiting", "waiting", "waiting", "waiting", "dead"]);
    assert.equal(hive.list(".deia/archive/code/dead").length, 1);
  });

  it("archives what is expired", async (t) => {
    const { hive, transport, time } = open(t);
    await transport.send({ ...DRAFT, ttl: "1m" }, "");
    time.ms += 61_000;
    assert.equal(await transport.select("code"), undefined);
    assert.ok(hive.events().includes("pheromone_expire"));
    assert.equal(hive.list(".deia/archive/code/expired").length, 1);
  });

  it("is stopped by nothing that lies in an inbox", async (t) => {
    const { hive, transport, time } = open(t);
    const inbox = join(hive.root, ".deia/inbox/code");
    mkdirSync(join(inbox, "folder.md"));
    symlinkSync("/etc/passwd", join(inbox, "link.md"));
    writeFileSync(join(inbox, "half.md"), "---\nid: 01JB");
    writeFileSync(join(inbox, "large.md"), Buffer.alloc(80_000));
    await transport.send(DRAFT, "");
    const sent = join(inbox, `${DRAFT.id}.md`);
    linkSync(sent, join(hive.root, "elsewhere"));
    await transport.send({ ...DRAFT, id: undefined, topic: "good" }, "");
    assert.equal((await taken(transport)).env.topic, "good");
    assert.ok(hive.list(".deia/inbox/code").includes("half.md"), "its writer may not be done");
    utimesSync(join(inbox, "half.md"), 1, 1);
    time.ms += 6_000;
    await transport.select("code");
    assert.deepEqual(hive.list(".deia/inbox/code"), []);
    assert.equal(hive.events().filter((type) => type === "rsm_envelope_dead").length, 5);
  });

  it("takes mail for good while somebody parks it or brings it home", async (t) => {
    const { hive, transport } = open(t);
    await transport.send(DRAFT, "");
    const parked = join(hive.root, ".deia/outbox/muted/ts/code");
    mkdirSync(parked, { recursive: true });
    linkSync(join(hive.root, `.deia/inbox/code/${DRAFT.id}.md`), join(parked, `${DRAFT.id}.md`));
    assert.equal((await taken(transport)).env.id, DRAFT.id);
    assert.ok(!hive.events().includes("rsm_envelope_dead"));
  });

  it("lets passkeys of people keep nobody from mail", async (t) => {
    const { hive, transport } = open(t);
    const passkey = `{kid: ada-pk-1, credential: "0a", public: "0b", actor: ada, synced: true}`;
    hive.write(".deia/trust.yaml", `format: 2\nkeys: []\npasskeys: [${passkey}]\n`);
    await transport.sendMail(seal({ ...DRAFT, from: "ada" }, "unsigned"));
    assert.deepEqual((await taken(transport)).signature, { kind: "unsigned" });
  });

  it("never delivers what is forged, stripped or misaddressed", async (t) => {
    const { hive, transport } = open(t);
    const signer = Signer.ed25519("laptop-1", Buffer.alloc(32, 7));
    const publicKey = "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c";
    hive.write(
      ".deia/trust.yaml",
      `format: 1\nkeys:\n  - kid: "laptop-1"\n    algorithm: ed25519\n    public: "${publicKey}"\n    actors: ["ada"]\n`,
    );
    const draft = { ...DRAFT, from: "ada", id: undefined };
    await transport.sendMail(seal(draft, "stripped"));
    await transport.sendMail(signer.sign(seal({ ...draft, from: "eve" }, "not hers")));
    await transport.sendMail(signer.sign(seal(draft, "good")));
    hive.write(
      ".deia/inbox/code/01JBRM7XCN6E9M6KQGM6K3J3EZ.md",
      seal({ ...DRAFT, id: "01JBRM7XCN6E9M6KQGM6K3J3EZ", to: ["queen://ops"] }, "").bytes,
    );
    const received = await taken(transport);
    assert.equal(received.bodyMd, "good");
    assert.deepEqual(received.signature, { kind: "valid", kid: "laptop-1", human: false });
    assert.equal(await transport.select("code"), undefined);
    assert.equal(hive.events().filter((type) => type === "rsm_envelope_dead").length, 3);
  });
});
