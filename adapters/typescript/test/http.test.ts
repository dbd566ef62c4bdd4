import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import {
  EventStream,
  FileTransport,
  HttpProblem,
  HttpTransport,
  NoSuchInbox,
  seal,
  Signer,
  Unreachable,
  Withheld,
  type Draft,
  type RSMTransport,
} from "../src/index.js";
import { hasRsm, Scratch } from "./scratch.js";
import { Served } from "./served.js";

const DRAFT: Draft = { from: "ts", to: ["queen://ops"], lane: "Ops", topic: "from Node: über 🐝", priority: "P1" };

/** A day's work, for either kind of hive alike: only how it is opened differs. */
async function dayOf(hive: FileTransport | HttpTransport): Promise<unknown[]> {
  const seen: unknown[] = [];
  const mail = seal(DRAFT, "93 % of /var\n");
  for (const again of [mail, mail, seal({ ...DRAFT, id: mail.env.id }, "other")]) {
    seen.push((await hive.sendMail(again)).copies.map(({ inbox, outcome }) => [inbox, outcome]));
  }
  const held = await hive.select("ops", { lease: "10m" });
  assert.ok(held);
  assert.deepEqual(Buffer.from(held.mail.bytes), Buffer.from(mail.bytes));
  seen.push(held.env.topic, held.bodyMd, held.inbox, held.attempt, held.signature);
  seen.push((await hive.ack(held, "accepted")).kind, await hive.release(held), await hive.ack(held, "done"));
  for await (const next of hive.recv("ops")) {
    seen.push(next.attempt, await hive.ack(next, "done", "cleaned up"), await hive.ack(next, "done"));
    break;
  }
  seen.push(await hive.select("ops"));
  await assert.rejects(hive.send({ ...DRAFT, to: ["queen://nowhere"] }, ""), NoSuchInbox);
  await assert.rejects(hive.select("nowhere"), NoSuchInbox);
  const { events, bad } = await hive.events();
  seen.push(bad, events.filter((event) => event.type === "worker_ack" && event.data.status === "done").length);
  return seen;
}

async function numbers(stream: EventStream, count: number): Promise<unknown[]> {
  const found: unknown[] = [];
  while (found.length < count) {
    const { value, done } = await stream.next();
    assert.ok(!done);
    found.push(value.event?.data.n);
  }
  return found;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

describe("a served hive", () => {
  it("a program changes one line", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const beside = new Scratch(t);
    beside.rsm("init", "--quiet");
    const served = await Served.start(t);
    const transport: RSMTransport = served.open();
    assert.ok(transport instanceof HttpTransport);
    assert.deepEqual(await dayOf(transport), await dayOf(FileTransport.open({ root: beside.root, actor: "ts" })));
  });

  it("names the kinds of what public mail holds, and stores nothing", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = (await Served.start(t)).open();
    const signer = Signer.ed25519("laptop-1", Buffer.alloc(32, 7));
    const send = (body: string) => hive.sendMail(signer.sign(seal({ ...DRAFT, consent: "public" }, body)));
    await assert.rejects(send("ask ada@engines.org\n"), /must not become public: email$/);
    assert.deepEqual(await hive.waiting("ops"), []);
    assert.equal((await send("the parser is slow\n")).copies[0].outcome, "delivered");
  });

  it("is looked at without anything being taken", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = (await Served.start(t)).open();
    assert.ok((await hive.inboxes()).includes("code"));
    await hive.send(DRAFT, "");
    const urgent = await hive.send({ ...DRAFT, topic: "red", priority: "P0" }, "now");
    assert.deepEqual(
      (await hive.waiting("ops")).map(({ topic, effective }) => [topic, effective]),
      [
        ["red", "P0"],
        [DRAFT.topic, "P1"],
      ],
    );
    const letter = await hive.read(urgent.id);
    assert.deepEqual([letter?.mail.bodyMd, letter?.inbox, letter?.state], ["now", "ops", "waiting"]);
    assert.equal(await hive.read("01JD0C5RNH7VZ2Y4T6W8XKAM3B"), undefined);
  });

  it("a wrong token is told, and never shown", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const served = await Served.start(t);
    const wrong = served.open({ tokenFile: undefined, token: "w".repeat(30) });
    await assert.rejects(wrong.send(DRAFT, ""), (e: HttpProblem) => {
      assert.deepEqual([e.status, e.code], [401, "unauthorized"]);
      assert.doesNotMatch(`${e.message} ${e.stack}`, /www/);
      return true;
    });
    await assert.rejects(wrong.follow(), HttpProblem);
    await assert.rejects(served.open({ tokenFile: undefined }).send(DRAFT, ""), HttpProblem);
    await assert.rejects(served.open({ tokenFile: undefined }).inboxes(), HttpProblem, "reads from here need it too");
    await assert.rejects(served.open().send({ ...DRAFT, consent: "private" }, ""), RangeError);
    for (const url of ["ftp://127.0.0.1", "http://example.org", "http://127.0.0.1/hive", "http://a@127.0.0.1"]) {
      assert.throws(() => served.open({ url }), RangeError, url);
    }
  });

  it("under a lock mail and outcomes are kept", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const served = await Served.start(t);
    const hive = served.open();
    await hive.send(DRAFT, "");
    const held = await hive.select("ops");
    assert.ok(held);
    served.hive.write(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock", "freeze");
    const kept = await hive.send(DRAFT, "meanwhile");
    assert.equal(kept.copies[0].outcome, "withheld");
    assert.match(kept.path ?? "", new RegExp(kept.id));
    const settled = await hive.ack(held, "done");
    assert.ok(settled.kind === "withheld" && settled.kept !== undefined);
    assert.deepEqual([settled.lock.kind, settled.lock.source], ["do-not-erase", "rotg-2"]);
    assert.equal(await hive.select("ops"), undefined);
    await assert.rejects(hive.inboxes(), Withheld);
    await assert.rejects(hive.follow(), Withheld);
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(), 200);
    for await (const _ of hive.recv("ops", { signal: waiting.signal, pollMs: 20 })) {
      assert.fail("nothing is given out under a lock");
    }
  });

  it("who sends too much hears when to come again", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = (await Served.start(t, [], "sender: {waiting: 1}\n")).open();
    assert.equal((await hive.send(DRAFT, "")).copies[0].outcome, "delivered");
    const [refused] = (await hive.send(DRAFT, "")).copies;
    assert.equal(refused.outcome, "refused");
    assert.ok((refused.retryAfterS ?? 0) > 0);
  });

  it("a killed server loses nothing", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const served = await Served.start(t);
    const sender = served.open({ triesMax: 12 });
    const worker = served.open({ actor: "ts-2" });
    const done: string[] = [];
    const working = (async () => {
      for await (const held of worker.recv("ops", { lease: "2s", pollMs: 100 })) {
        const settled = await worker.ack(held, "done").catch((e: unknown) => {
          assert.ok(e instanceof Unreachable);
        });
        if (settled?.kind === "settled") {
          done.push(held.env.topic);
        }
        if (held.env.topic === "last") {
          return;
        }
      }
    })();
    for (let i = 0; i < 10; i++) {
      const isDown = i === 3 || i === 6;
      if (isDown) {
        await served.kill();
      }
      const sending = sender.send({ ...DRAFT, topic: `t${i}` }, "");
      if (isDown) {
        await served.serve();
      }
      assert.ok(["delivered", "duplicate"].includes((await sending).copies[0].outcome));
    }
    await sender.send({ ...DRAFT, topic: "last", priority: "P3" }, "");
    await working;
    assert.equal(new Set(done).size, done.length, "nothing is done twice");
    const [day] = served.hive.list(".deia/archive/ops/done");
    const folders = [`.deia/archive/ops/done/${day}`, ".deia/inbox/ops", ".deia/active/ops"];
    const ids = folders.flatMap((folder) => served.hive.list(folder)).map((name) => name.slice(0, 26));
    assert.deepEqual([ids.length, new Set(ids).size], [11, 11], "whose claim was lost comes back");
    await served.kill();
    const alone = served.open({ triesMax: 2, giveUpMs: 100 });
    await assert.rejects(alone.send(DRAFT, ""), Unreachable);
    await assert.rejects(alone.follow(), Unreachable);
    await assert.rejects(alone.recv("ops").next(), Unreachable);
  });

  it("a stream of events misses nothing though the server is killed", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const served = await Served.start(t);
    const { log } = FileTransport.open({ root: served.hive.root, actor: "ts" });
    const tell = (n: number): Promise<void> => log.emit({ type: "tick", lane: "Ops", actor: "ts", data: { n } });
    await tell(-1);
    const stream = await served.open().follow();
    const reading = numbers(stream, 300);
    for (let n = 0; n < 300; n++) {
      await tell(n);
      if (n === 100) {
        await served.kill();
      } else if (n === 200) {
        await served.serve();
      } else if (n % 50 === 0) {
        await pause(5);
      }
    }
    assert.deepEqual(await reading, range(0, 300));
    const waiting = stream.next();
    stream.close();
    assert.deepEqual(await waiting, { done: true, value: undefined });
    const first = await served.open().follow("0");
    assert.deepEqual(await numbers(first, 51), range(-1, 50));
    first.close();
    const second = await served.open().follow(first.cursor);
    assert.deepEqual(await numbers(second, 250), range(50, 300));
    second.close();
    const pages = [await served.open().feed("0", 100)];
    while (pages[pages.length - 1].more) {
      pages.push(await served.open().feed(pages[pages.length - 1].cursor, 100));
    }
    assert.deepEqual(
      pages.flatMap((page) => page.events.map((event) => event.data.n)),
      range(-1, 300),
    );
    await assert.rejects(served.open().feed("no cursor"), HttpProblem);
  });

  it("the certificate of a file is trusted, and no other", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const folder = new Scratch(t);
    const pem = (name: string): string => join(folder.root, name);
    const options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost";
    const names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", pem("key.pem"), "-out", pem("cert.pem")];
    try {
      execFileSync("openssl", [...options.split(" "), ...names], { stdio: "ignore" });
    } catch {
      t.skip("openssl is not installed");
      return;
    }
    chmodSync(pem("key.pem"), 0o600);
    const served = await Served.start(t, ["--tls-key", pem("key.pem"), "--tls-cert", pem("cert.pem")]);
    const hive = served.open({ caFile: pem("cert.pem") });
    assert.equal((await hive.send(DRAFT, "")).copies[0].outcome, "delivered");
    const stream = await hive.follow("0");
    assert.equal((await stream.next()).value?.event?.type, "pheromone_drop");
    stream.close();
    await assert.rejects(served.open({ triesMax: 1 }).inboxes(), (e: Error) => /certificate/.test(e.message));
  });
});
