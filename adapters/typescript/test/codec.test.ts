import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatEvent, Mail, readEvents, seal, Signer, TrustList, type Draft } from "../src/index.js";
import { parseInstant } from "../src/time.js";

const DRAFT: Draft = { from: "ts", to: ["queen://code", "lane://ops"], lane: "Code", topic: "x" };

describe("a sealed envelope", () => {
  it("is written in the order of the specification, and reads back", () => {
    const mail = seal(
      { ...DRAFT, hops: 1, tags: ["a", "b, c"], scope: "src/", priority: "P1", ttl: "1h" },
      "Body\n",
      0,
    );
    const keys = mail.text.fields.map((field) => field.key).join(" ");
    assert.equal(keys, "id ts from to lane topic priority ttl scope consent hash tags hops");
    assert.deepEqual(mail.env.tags, ["a", "b, c"]);
    assert.deepEqual(mail.env.to, ["queen://code", "lane://Ops"]);
    assert.equal(mail.env.ts, "1970-01-01T00:00:00Z");
    assert.ok(mail.hashMatches());
    assert.deepEqual(Mail.parse(mail.bytes).env, mail.env);
  });

  it("keeps every text as it was typed, or is refused", () => {
    for (const topic of [
      "yes",
      "#1",
      "a: b",
      'it\'s "so"',
      "- x",
      " x ",
      "C:\\temp",
      "über 🐝",
      "[x]",
      "a #b",
      "null",
      "7",
    ]) {
      assert.equal(seal({ ...DRAFT, topic }, "").env.topic, topic);
    }
    for (const topic of ["a\nb", "a\u202eb", "", "  ", "\ud800", "x".repeat(257)]) {
      assert.throws(() => seal({ ...DRAFT, topic }, ""), RangeError, JSON.stringify(topic));
    }
  });

  it("can't be made to carry a second field", () => {
    assert.throws(() => seal({ ...DRAFT, from: "ts\nsig: hmac-00" }, ""), RangeError);
    assert.throws(() => seal({ ...DRAFT, ttl: "1h\nkid: x" }, ""), RangeError);
  });
});

it("a signature holds for these bytes and this key alone", () => {
  const now = parseInstant("2025-11-03T09:20:00Z");
  const secret = Buffer.alloc(32, 9);
  const trust = new TrustList([{ kid: "shared", algorithm: "hmac", material: secret, actors: ["ts"] }]);
  const signed = Signer.hmac("shared", secret).sign(seal(DRAFT, "Body\n"));
  assert.deepEqual(trust.check(signed, now), { kind: "valid", kid: "shared", human: false });
  const changed = Mail.parse(Buffer.from(Buffer.from(signed.bytes).toString().replace("topic: x", "topic: y")));
  assert.equal(trust.check(changed, now).kind, "bad");
  assert.equal(trust.check(seal(DRAFT, "Body\n"), now).kind, "bad", "stripped");
  const again = Signer.hmac("shared", secret).sign(signed);
  assert.deepEqual(again.bytes, signed.bytes);
});

describe("an event", () => {
  const event = { ts: "2025-11-03T09:20:00.000Z", type: "pheromone_drop", lane: "Code", actor: "ts" };

  it("has exactly five names, in their order", () => {
    const line = formatEvent({ ...event, data: { topic: "x" } }).toString();
    assert.equal(
      line,
      '{"ts":"2025-11-03T09:20:00.000Z","type":"pheromone_drop","lane":"Code","actor":"ts","data":{"topic":"x"}}\n',
    );
  });

  it("is cut to 16 KiB, and says so", () => {
    const data = { topic: "x", context: "é".repeat(20_000), list: Array.from({ length: 5_000 }, () => "item") };
    const line = formatEvent({ ...event, data });
    assert.ok(line.length <= 16 * 1024);
    const [read] = readEvents(line).events;
    assert.equal(read.data.topic, "x");
    assert.equal(read.data.truncated, true);
    assert.match(String(read.data.ref), /^sha256:/);
  });
});
