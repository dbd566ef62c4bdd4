import assert from "node:assert/strict";
import { rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FileTransport, Mail, ownSigner, readEvents, type Draft } from "../src/index.js";
import { hasRsm, Scratch } from "./scratch.js";
import { REPOSITORY } from "./vectors.js";

const DRAFT: Draft = { from: "ts", to: ["queen://code"], lane: "Code", topic: "from Node: über 🐝", tags: ["a, b"] };

function open(hive: Scratch): FileTransport {
  return FileTransport.open({ root: hive.root, actor: "ts" });
}

describe("beside rsm", () => {
  it("mail of Node is taken and acknowledged by Java", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = new Scratch(t);
    hive.rsm("init", "--quiet");
    const sent = await open(hive).send(DRAFT, "Body with ---\n---\nlines\n");
    assert.match(hive.rsm("verify", sent.path as string), /good, from ts, unsigned/);
    const claim = hive.rsm("select", "--quiet", "code").trim();
    assert.match(hive.rsm("read", claim), /from Node: über 🐝[^]*Body with ---\n---\nlines/);
    hive.rsm("ack", claim, "done");
    assert.equal((await open(hive).sendMail(archived(hive))).copies[0].outcome, "duplicate");
  });

  it("mail of Java is taken and acknowledged by Node, and Java knows", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = new Scratch(t);
    hive.rsm("init", "--quiet");
    hive.rsm("send", "--to", "code", "--priority", "P1", 'please review: "this"');
    const transport = open(hive);
    const received = await transport.select("code");
    assert.equal(received?.env.topic, 'please review: "this"');
    assert.deepEqual(await transport.ack(received, "done", "merged"), { kind: "settled", state: "done" });
    assert.match(hive.rsm("archive"), /done\s+queen:\/\/code/);
    assert.match(hive.rsm("doctor"), /nothing is wrong/);
    const types = readEvents(Buffer.from(hive.read(".deia/telemetry/rse.jsonl"))).events.map((event) => event.type);
    assert.equal(types.filter((type) => type === "worker_ack").length, 1);
    assert.match(hive.rsm("log"), /worker_ack\s+\S+\s+ts\s+.*merged/);
  });

  it("a claim given back by one is taken by the other, with its attempts", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = new Scratch(t);
    hive.rsm("init", "--quiet");
    const transport = open(hive);
    await transport.send(DRAFT, "");
    const first = hive.rsm("select", "--quiet", "code").trim();
    hive.rsm("release", first);
    const second = await transport.select("code");
    assert.equal(second?.attempt, 1);
    await transport.ack(second, "error", "no luck");
    const later = FileTransport.open({ root: hive.root, actor: "ts", clock: () => Date.now() + 60_000 });
    const third = await later.select("code");
    assert.equal(third?.attempt, 2);
    await later.release(third);
    assert.match(hive.rsm("inbox", "code"), /1 waiting, 0 active/);
  });

  it("each honours the locks that the other sees", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = new Scratch(t);
    hive.rsm("init", "--quiet");
    const transport = open(hive);
    hive.rsm("lock", "hive", "--reason", "freeze");
    const [copy] = (await transport.send(DRAFT, "waits")).copies;
    assert.equal(copy.outcome, "withheld");
    assert.match(hive.rsm("embargo"), /from Node/);
    unlinkSync(join(hive.root, ".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
    hive.rsm("lock", "do-not-alter", ".deia/inbox/ops/**", "--reason", "audit");
    assert.equal((await transport.send({ ...DRAFT, to: ["queen://ops"] }, "")).copies[0].outcome, "withheld");
    assert.equal((await transport.send(DRAFT, "free")).copies[0].outcome, "delivered");
  });

  it("an outcome that Node kept under a lock is applied by Java", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = new Scratch(t);
    hive.rsm("init", "--quiet");
    const transport = open(hive);
    await transport.send(DRAFT, "");
    const held = await transport.select("code");
    assert.ok(held);
    hive.write(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock", "");
    assert.equal((await transport.ack(held, "done")).kind, "withheld");
    rmSync(join(hive.root, ".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
    assert.match(hive.rsm("inbox", "code"), /0 waiting, 0 active/);
    assert.equal(hive.list(".deia/archive/code/done").length, 1);
  });

  it("signatures of one hold for the other", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = new Scratch(t);
    hive.rsm("init", "--quiet");
    for (const [kid, ...more] of [["laptop"], ["shared", "--hmac"]]) {
      hive.rsm("keys", "new", kid, ...more);
      hive.rsm("keys", "trust", kid, "--by", "ada");
    }
    hive.rsm("send", "--to", "code", "signed by Java");
    process.env.XDG_CONFIG_HOME = join(hive.root, ".config");
    t.after(() => delete process.env.XDG_CONFIG_HOME);
    for (const kid of ["laptop", "shared"]) {
      const transport = FileTransport.open({ root: hive.root, actor: "java", signer: ownSigner(kid) });
      const sent = await transport.send({ ...DRAFT, from: "java", to: ["queen://ops"] }, "signed by Node");
      assert.match(hive.rsm("verify", sent.path as string), new RegExp(`good, from java, signed.*${kid}`));
      const received = await transport.select("ops");
      assert.deepEqual(received?.signature, { kind: "valid", kid, human: false });
    }
    const received = await FileTransport.open({ root: hive.root, actor: "java" }).select("code");
    assert.equal(received?.signature.kind, "valid");
  });

  it("events of Node are read by Java", async (t) => {
    if (!hasRsm(t)) {
      return;
    }
    const hive = new Scratch(t);
    hive.rsm("init", "--quiet");
    await open(hive).log.emit({
      type: "pheromone_drop",
      lane: "code",
      actor: "ts",
      data: { topic: "build-red", priority: "P1", ttl: "1h" },
    });
    assert.match(hive.rsm("log"), /pheromone_drop\s+Code\s+ts\s+.*build-red/);
    assert.match(hive.rsm("sense"), /build-red/);
  });
});

it("twelve lines of Python send mail that Node reads", async (t) => {
  const hive = new Scratch(t);
  hive.run("python3", [join(REPOSITORY, "docs/guide/write_envelope.py"), "ops", "the disk is full: 93 %", "of /var"]);
  const transport = open(hive);
  const received = await transport.select("ops");
  assert.deepEqual(
    [received?.env.from, received?.env.topic, received?.bodyMd],
    ["nightly-job", "the disk is full: 93 %", "of /var\n"],
  );
});

it("the Python package and this one take each other's mail", async (t) => {
  const hive = new Scratch(t);
  const python = (code: string): string =>
    hive.run("python3", ["-c", `from pheromone import Hive\nhive = Hive.find("py")\n${code}`], {
      PYTHONPATH: join(REPOSITORY, "adapters/python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
    });
  const transport = open(hive);
  python('hive.send(hive.write(to=["code"], topic="from Python: über", body="Hello.\\n"))');
  const received = await transport.select("code");
  assert.deepEqual([received?.env.topic, received?.bodyMd], ["from Python: über", "Hello.\n"]);
  assert.ok(received);
  assert.deepEqual(await transport.ack(received, "done"), { kind: "settled", state: "done" });
  await transport.send({ ...DRAFT, to: ["queen://ops"] }, "Back.\n");
  assert.equal(
    python('for claim in hive.recv("ops"):\n    print(claim.envelope.topic)\n    claim.ack()'),
    `${DRAFT.topic}\n`,
  );
  assert.equal(hive.list(".deia/archive/ops/done").length, 1);
  assert.equal(transport.events().bad.length, 0);
});

/** The mail that was archived, as its sender would send it again. */
function archived(hive: Scratch): Mail {
  const [day] = hive.list(".deia/archive/code/done");
  const [name] = hive.list(`.deia/archive/code/done/${day}`);
  return Mail.parse(Buffer.from(hive.read(`.deia/archive/code/done/${day}/${name}`)));
}
