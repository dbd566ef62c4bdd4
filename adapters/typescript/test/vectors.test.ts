import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { domainOf, parseAddress } from "../src/address.js";
import { admit, entered, isOver, SenderTraffic, type Admission, type Cause } from "../src/backpressure.js";
import { attendantOf, parseClaim, tokenOf } from "../src/claim-token.js";
import { parseConfig } from "../src/config.js";
import { allows, parseConsent, type Consent } from "../src/consent.js";
import { seal } from "../src/draft.js";
import { parseTtl } from "../src/duration.js";
import type { Priority } from "../src/envelope.js";
import { sha256 } from "../src/hash.js";
import { parseId, replyId, seenFolder } from "../src/id.js";
import { formatJson, parseJson } from "../src/json.js";
import * as life from "../src/life.js";
import { lookAt } from "../src/question.js";
import { Mail } from "../src/mail.js";
import { eventsOf, eventsOfClaim, type MailEvent } from "../src/mail-events.js";
import { MalformedEnvelope } from "../src/malformed.js";
import { readEvents } from "../src/rse.js";
import * as selection from "../src/selection.js";
import { signedBytes, TrustList, type Algorithm } from "../src/signature.js";
import { formatInstant, instantOfMillis, parseInstant, SECOND } from "../src/time.js";
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
  claim: text((value) => {
    const claim = parseClaim(value);
    if (claim === undefined) {
      throw new RangeError("no claim");
    }
    assert.equal(tokenOf(claim), value);
    return {
      id: claim.id,
      attempt: String(claim.attempt),
      worker: claim.worker,
      claimed_at: formatInstant(instantOfMillis(claim.claimedMs)),
      lease_s: String(claim.leaseS),
      tag: claim.tag,
      attendant: attendantOf(claim) ?? "none",
    };
  }),
  life: lived,
  question: asked,
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
    ask: env.ask?.join(", "),
    ask_of: env.ask_of?.join(" "),
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

function asked(vector: Vector): void {
  const [line, ...answers] = Buffer.from(vector.content)
    .toString("utf8")
    .split("\n")
    .filter((one) => one !== "")
    .map((one) => JSON.parse(one));
  const { from, to, id, ts, ttl, ask, free, default: ask_default, deadline_at: ask_deadline, of: ask_of } = line;
  const topic = "a question";
  const draft = { from, to, lane: "Code", topic, id, ts, ttl, ask, ask_free: free, ask_default, ask_deadline, ask_of };
  const stored = answers.map((one) => ({
    id: one.id,
    from: one.from,
    text: one.answer,
    storedAt: parseInstant(one.stored_at),
    hashMatches: one.hash_matches ?? true,
    check: { kind: one.signature ?? "unsigned", kid: "k1", human: false, reason: "bad" },
    hasTaken: one.taken ?? false,
  }));
  const withKey = words(vector, "keys");
  const now = vector.keys.get("now") as string;
  const found = lookAt(seal(draft, "").env, stored, (actor) => withKey.includes(actor), parseInstant(now));
  assert.ok(found !== undefined);
  const setAside = found.setAside.map(({ answer, why }) => `${answer.id}=${why}`);
  assertKeys(vector, {
    now,
    keys: withKey.join(" "),
    state: found.state,
    ends_at: formatInstant(found.endsAt),
    ...("answer" in found && { answer: found.answer }),
    ...("by" in found && { by: found.by, proof: found.proof, answer_id: found.answerId }),
    set_aside: setAside.length === 0 ? "none" : setAside.join(" "),
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

/** What a case of a life gives beside what it expects. */
const GIVEN = new Set(
  (
    "was was_first_seen was_failures was_not_before was_claim was_lease_ends_at was_closing was_why was_note step now " +
    "attempts_max likeness made rationale shown said pause_s inbox taken_as signature"
  ).split(" "),
);

function lived(vector: Vector): void {
  const at = (key: string): string => vector.keys.get(key) ?? "";
  const { inbox = "code", step } = Object.fromEntries(vector.keys);
  const mail = Mail.parse(vector.content);
  const { env } = mail;
  const now = parseInstant(at("now"));
  const limits = life.lifeLimits(vector.keys.has("attempts_max") ? Number(at("attempts_max")) : undefined);
  const likeness = at("likeness") as life.Likeness;
  const found: Record<string, string | undefined> = {};

  const after = (answer: string, next: life.Life, events: MailEvent[]): void => {
    Object.assign(found, {
      answer,
      state: next.state,
      failures: String(next.failures),
      not_before: next.notBefore === undefined ? "none" : formatInstant(next.notBefore),
      lease_ends_at: next.holder === undefined ? "none" : formatInstant(next.holder.leaseEndsAt),
      closing: next.holder?.closing ?? "none",
      why: next.why ?? "none",
      note: next.note,
      events: events.map((event) => event.type).join(" "),
    });
    events.forEach((event, i) => {
      const expected = vector.keys.get(`data_${i + 1}`);
      if (expected !== undefined) {
        const told = parseJson(formatJson({ ...event.data, consent: env.consent }));
        assert.deepEqual(told, parseJson(expected), `data_${i + 1}`);
        found[`data_${i + 1}`] = expected;
      }
    });
  };
  const took = (answer: string, taken: life.Step, id = env.id): void =>
    after(answer, taken.life, eventsOf(taken, { inbox, id, env }));
  const answered = (answer: life.Answer | life.Look): void => {
    if ("step" in answer) {
      took(answer.kind, answer.step);
      return;
    }
    found.reason = "reason" in answer ? answer.reason : undefined;
    found.until = "until" in answer ? formatInstant(answer.until) : undefined;
    after(answer.kind, lifeBefore(vector), []);
  };

  switch (step) {
    case "begin":
      after("begun", life.begun(now), []);
      break;
    case "send": {
      const resend = life.sentAgain(lifeBefore(vector), likeness, env.id);
      found.answer = resend.kind;
      found.reason = resend.kind === "conflict" ? resend.reason : undefined;
      break;
    }
    case "look":
      answered(life.look(lifeBefore(vector), env, now, limits));
      break;
    case "claim": {
      const made = parseClaim(at("made"));
      assert.ok(made !== undefined);
      assert.equal(life.attemptOf(lifeBefore(vector)), made.attempt);
      const taken = life.claimed(lifeBefore(vector), made);
      found.holder = taken.life.holder?.claim;
      after("taken", taken.life, eventsOfClaim(env, inbox, made, at("rationale"), taken.isFirst, "hive-1"));
      break;
    }
    case "renew":
      answered(life.renewed(lifeBefore(vector), at("shown"), now));
      break;
    case "accept":
      answered(life.accepted(lifeBefore(vector), at("shown"), at("said"), now));
      break;
    case "examine": {
      const takenAs = vector.keys.get("taken_as") ?? env.id;
      const bad = vector.keys.get("signature");
      const check = bad === undefined ? { kind: "unsigned" as const } : { kind: "bad" as const, reason: bad };
      const before = lifeBefore(vector);
      const against = life.objections(takenAs, mail, before.firstSeen, check, inbox, parseConfig(new Uint8Array()));
      found.objections = against.map((objection) => objection.field).join(" ");
      if (against.length === 0) {
        after("accepted", before, []);
      } else {
        took("refused", life.ended(before, against[0].why, against[0].text), takenAs);
      }
      break;
    }
    case "meet": {
      const why = life.rules(lifeBefore(vector), likeness);
      Object.assign(found, { answer: "free", why: "none" });
      if (why !== undefined) {
        took("ended", life.ended(life.begun(now), why, life.textOf(why)));
      }
      break;
    }
    default: {
      const closing = ({ done: "done", fail: "failed", release: "released" } as const)[step];
      assert.ok(closing !== undefined, `${step} is no step`);
      const pauseMs = Number(vector.keys.get("pause_s") ?? 0) * 1000;
      answered(life.settled(lifeBefore(vector), at("shown"), closing, at("said"), pauseMs, env, now, limits));
    }
  }
  const expected = new Map([...vector.keys].filter(([key]) => !GIVEN.has(key)));
  assertKeys({ ...vector, keys: expected }, found);
}

function lifeBefore(vector: Vector): life.Life {
  const at = (key: string): string => vector.keys.get(`was_${key}`) as string;
  const has = (key: string): boolean => vector.keys.has(`was_${key}`);
  return {
    state: vector.keys.get("was") as life.Life["state"],
    firstSeen: parseInstant(at("first_seen")),
    failures: Number(at("failures")),
    notBefore: has("not_before") ? parseInstant(at("not_before")) : undefined,
    holder: has("claim")
      ? {
          claim: at("claim"),
          leaseS: parseClaim(at("claim"))?.leaseS ?? 0,
          leaseEndsAt: parseInstant(at("lease_ends_at")),
          closing: has("closing") ? (at("closing") as life.Closing) : undefined,
        }
      : undefined,
    why: has("why") ? (at("why") as life.Why) : undefined,
    note: vector.keys.get("was_note") ?? "",
  };
}
