/**
 * A sender and a worker by the TypeScript adapter, in turn; the same lines as PowerLoad.java.
 *
 * `power-load.mjs ADAPTER HIVE` works until the power is cut; ADAPTER is the compiled index.js.
 */
import { randomBytes, randomInt } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const INBOXES = ["code", "ops", "docs"];
const BODY_BYTES_MAX = 40_000;
const USUAL_BODY_BYTES_MAX = 1_500;
const LEASES = ["3s", "60s"];
const PAUSE_AFTER_TROUBLE_MS = 200;

const [adapter, root] = process.argv.slice(2);
const { FileTransport } = await import(pathToFileURL(adapter).href);
const actor = "typescript";
const transport = FileTransport.open({ root, actor });

/** Writes one line by one call, so that lines of several processes do not mix. */
function say(line) {
  writeSync(1, `${line}\n`);
}

function oneOf(list) {
  return list[randomInt(list.length)];
}

function someBody() {
  const bytesMax = randomInt(10) === 0 ? BODY_BYTES_MAX : USUAL_BODY_BYTES_MAX;
  return randomBytes(randomInt(bytesMax) >> 1).toString("hex");
}

async function sendOnce() {
  const draft = { from: actor, to: [`queen://${oneOf(INBOXES)}`], lane: "Code", topic: "power by TypeScript" };
  const { id, hash, copies } = await transport.send(draft, someBody());
  const confirmed = copies.filter((copy) => copy.outcome === "delivered").map((copy) => copy.inbox);
  if (confirmed.length > 0) {
    say(`S ${id} ${hash} ${confirmed.join(",")} typescript`);
  }
}

async function workOnce() {
  const held = await transport.select(oneOf(INBOXES), { lease: oneOf(LEASES) });
  if (held === undefined) {
    return;
  }
  const name = `${held.env.id} ${held.inbox} ${held.attempt} typescript`;
  say(`C ${name}`);
  switch (randomInt(20)) {
    case 0:
      return; // The lease ends by itself.
    case 1:
      await transport.ack(held, "error", "by chance");
      return;
    case 2:
      await transport.release(held, "by chance");
      return;
  }
  const settlement = await transport.ack(held, "done", "ok");
  const isConfirmed = settlement.kind === "settled" && settlement.isUnconfirmed !== true;
  if (isConfirmed && settlement.state === "done" && transport.problems.length === 0) {
    say(`D ${name}`);
  }
}

for (;;) {
  try {
    await sendOnce();
    await workOnce();
  } catch (e) {
    say(`X typescript ${String(e).replaceAll("\n", " ")}`);
    await pause(PAUSE_AFTER_TROUBLE_MS);
  }
}
