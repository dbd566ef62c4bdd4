import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { domainOf, parseAddress } from "../src/address.js";
import { admit, entered, isOver, SenderTraffic, type Admission, type Cause } from "../src/backpressure.js";
import { parseConfig } from "../src/config.js";
import { allows, parseConsent, type Consent } from "../src/consent.js";
import { parseTtl } from "../src/duration.js";
import type { Priority } from "../src/envelope.js";
import { sha256 } from "../src/hash.js";
import { parseId, replyId, seenFolder } from "../src/id.js";
import { parseJson } from "../src/json.js";
import { Mail } from "../src/mail.js";
import { MalformedEnvelope } from "../src/malformed.js";
import { readEvents } from "../src/rse.js";
import * as selection from "../src/selection.js";
import { signedBytes, TrustList, type Algorithm } from "../src/signature.js";
import { formatInstant, parseInstant, SECOND } from "../src/time.js";
import { families, vectors, words, type Vector } from "./vectors.js";

/** What a case says besides how to read it. */
const ABOUT = new Set(["expect", "comment"]);

const CHECKS: Record<string, (vector: Vector) => void> = {
  envelope,
  hash: envelope,
  signature,
  reach,
  rse,
  selection: selected,
  address: text((value) => {
    const address = parseAddress(value);
    return { scheme: address.scheme, name: address.name, inbox: domainOf(address) };
  }),
  duration: text((value) => ({ seconds: String(parseTtl(value)) })),
  id: text((value, vector) => ({
    seen_folder: seenFolder(parseId(value)),
    reply_id: replyId(value, vector.keys.get("reply_from") ?? ""),
    reply_from: vector.keys.get("reply_from") ?? "",
  })),
  backpressure,
  sender,
  instant: text((value) => ({ instant: formatInstant(parseInstant(value)) })),
};

for (const family of families()) {
  describe(family, () => {
    it("is a family that is known here", () => assert.ok(family in CHECKS));
    for (const vector of vectors(family)) {
      it(vector.name, () => CHECKS[family](vector));
    }
  });
}

/** Every key of a case must be among what was found: one that can't be judged is a failure. */
function assertKeys(vector: Vector, found: Record<string, string | undefined>): void {
  for (const [key, value] of vector.keys) {
    if (!ABOUT.has(key)) {
      assert.ok(key in found, `${key} can't be judged`);
      assert.equal(found[key], value, key);
    }
  }
}

function text(read: (value: string, vector: Vector) => Record<string, string>): (vector: Vector) => void {
  return (vector) => {
    const value = Buffer.from(vector.content).toString("utf8");
    if (vector.expect === "failure") {
      assert.throws(() => read(value, vector), RangeError);
    } else {
      assertKeys(vector, read(value, vector));
    }
  };
}

function envelope(vector: Vector): void {
  const mail = parsed(vector);
  if (mail === undefined) {
    return;
  }
  assert.equal(mail.hashMatches() ? "success" : "hash failure", vector.expect);
  assert.deepEqual(mail.bytes, vector.content, "written again");
  const { env } = mail;
  assertKeys(vector, {
    ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
    to: env.to.join(" "),
    ttl_s: String(parseTtl(env.ttl)),
    tags: env.tags.join(", "),
    attachments: env.attachments.join(", "),
    body_length: String(mail.body.length),
    body_sha256: sha256(mail.body),
    extra: mail.extra.join(" "),
    warnings: mail.warnings.map((warning) => warning.field).join(" "),
    field: "hash",
  });
}

/** The mail, or undefined if it had to be refused and was. */
function parsed(vector: Vector, ignored: string[] = []): Mail | undefined {
  try {
    return Mail.parse(vector.content);
  } catch (e) {
    assert.ok(e instanceof MalformedEnvelope, String(e));
    assert.equal(e.field === "body" ? "body failure" : "header failure", vector.expect, e.message);
    const found = { line: e.line, column: e.column, field: e.field, incomplete: e.incomplete };
    const values = Object.entries(found).map(([name, value]) => [name, String(value)]);
    assertKeys(vector, Object.fromEntries([...values, ...ignored.map((key) => [key, vector.keys.get(key)])]));
    return undefined;
  }
}

function signature(vector: Vector): void {
  const mail = parsed(vector, ["alg", "kid", "key", "actors"]);
  if (mail === undefined) {
    return;
  }
  const names = { valid: "success", unsigned: "unsigned", bad: "signature failure" };
  const check = trust(vector).check(mail, parseInstant("2025-11-03T09:20:00Z"));
  assert.equal(names[check.kind], vector.expect, JSON.stringify(check));
  const preimage = vector.keys.get("preimage_sha256");
  if (preimage !== undefined) {
    const algorithm = mail.env.sig?.split("-")[0] as Algorithm;
    assert.equal(sha256(signedBytes(mail, algorithm, mail.env.kid ?? "")), preimage);
  }
}

/** A list with the vector's key, or an empty one if the key itself is refused. */
function trust(vector: Vector): TrustList {
  try {
    const key = {
      kid: vector.keys.get("kid") as string,
      algorithm: vector.keys.get("alg") as Algorithm,
      material: Buffer.from(vector.keys.get("key") as string, "hex"),
      actors: words(vector, "actors"),
    };
    return new TrustList([key]);
  } catch (e) {
    assert.match(vector.name, /^hmac_key_/, String(e));
    return new TrustList([]);
  }
}

function reach(vector: Vector): void {
  const read = (): Consent =>
    vector.content.length === 0 ? "team" : parseConsent(Buffer.from(vector.content).toString());
  if (vector.expect === "failure") {
    assert.throws(read, RangeError);
    return;
  }
  const consent = read();
  const carried = (["local", "team", "public"] as const).map((one) => [one, allows(consent, one) ? "sent" : "refused"]);
  assertKeys(vector, { ...Object.fromEntries(carried), consent });
}

function rse(vector: Vector): void {
  const { events, bad, held } = readEvents(vector.content);
  const only = events[0];
  const { data, ...keys } = Object.fromEntries(vector.keys);
  assertKeys(
    { ...vector, keys: new Map(Object.entries(keys)) },
    {
      events: String(events.length),
      bad: String(bad.length),
      torn: held > 0 ? "1" : "0",
      type: only?.type,
      lane: only?.lane,
      actor: only?.actor,
      ts: only?.ts === undefined ? "unknown" : formatInstant(only.ts),
      types: events.map((event) => event.type).join(" "),
      actors: events.map((event) => event.actor).join(" "),
    },
  );
  if (data !== undefined) {
    assert.deepEqual(only.data, parseJson(data));
  }
}

function selected(vector: Vector): void {
  const now = parseInstant(vector.keys.get("now") as string);
  const found: Record<string, string[]> = { expired: [], dead: [], held: [], warned: [] };
  const ready: selection.Urgency[] = [];
  for (const urgency of inbox(vector)) {
    if (selection.isAbsurd(urgency)) {
      found.dead.push(urgency.id);
      continue;
    }
    if (selection.isFromTheFuture(urgency)) {
      found.warned.push(urgency.id);
    }
    if (selection.isExpired(urgency, now)) {
      found.expired.push(urgency.id);
    } else if (!selection.isReady(urgency, now)) {
      found.held.push(urgency.id);
    } else {
      ready.push(urgency);
    }
  }
  const dueTurn = Number(vector.keys.get("due_turn") ?? 4);
  const turn = selection.turnOf(Number(vector.keys.get("pick")), dueTurn, vector.keys.get("drain") === "true");
  ready.sort(selection.byTurn(turn, now));
  found.order = ready.map((urgency) => urgency.id);
  found.effective = ready.map((urgency) => `P${selection.effectiveClass(urgency, now)}`);
  for (const [group, ids] of Object.entries(found)) {
    assert.deepEqual(ids, words(vector, group), group);
  }
  if (vector.keys.has("weight")) {
    assert.deepEqual(
      ready.map((urgency) => selection.weight(urgency, now).toFixed(3)),
      words(vector, "weight"),
    );
  }
}

function inbox(vector: Vector): selection.Urgency[] {
  const halfLife = vector.keys.get("half_life");
  const part = Number(/^ttl\/(\d+)$/.exec(halfLife ?? "ttl/4")?.[1] ?? 0);
  const lines = Buffer.from(vector.content)
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => {
    const [id, priority, ts, firstSeen, seconds, failures, notBefore] = line.split(" ");
    const ttl = BigInt(Math.round(Number(seconds) * 1000)) * (SECOND / 1000n);
    return {
      id,
      priority: priority as Priority,
      ts: parseInstant(ts),
      firstSeen: parseInstant(firstSeen),
      ttl,
      halfLife: selection.halfLifeOf(ttl, part, part === 0 ? Number(halfLife) : undefined),
      failures: Number(failures),
      notBefore: notBefore === "-" ? undefined : parseInstant(notBefore),
    };
  });
}

function backpressure(vector: Vector): void {
  const at = (key: string): string => vector.keys.get(key) as string;
  const limits = { depthMax: Number(at("depth_max")), oldestAgeMax: Number(at("oldest_age_max")) };
  const load = { depth: Number(at("depth")), oldestAge: Number(at("oldest_age")) };
  const held = at("held") === "none" ? undefined : (at("held") as Cause);
  assert.equal(entered(load, limits) ?? "none", at("enters"));
  assert.equal(String(isOver(load, limits)), at("over"));
  const sent = Number(vector.keys.get("sent") ?? 0);
  assert.equal(answer(admit(at("priority") as Priority, at("inbox"), held, load, sent, limits), true), at("answer"));
}

function sender(vector: Vector): void {
  const at = (key: string): string => vector.keys.get(key) as string;
  const traffic = new SenderTraffic();
  for (const line of Buffer.from(vector.content)
    .toString()
    .split("\n")
    .filter((one) => one !== "")) {
    const [ts, priority, hops] = line.split(" ");
    traffic.add(parseInstant(ts), priority as Priority, Number(hops));
  }
  const { sender: limits } = parseConfig(new Uint8Array());
  const envelope = { priority: at("priority") as Priority, hops: Number(at("hops")) };
  const found = traffic.admit(envelope, Number(at("waiting")), Number(at("answers")), limits, parseInstant(at("now")));
  assert.equal(answer(found, false), at("answer"));
}

function answer(admission: Admission, withDelay: boolean): string {
  return admission.kind === "refused"
    ? `refused ${admission.retryAfterS}`
    : withDelay
      ? `admitted ${admission.delayMs}`
      : "admitted";
}
