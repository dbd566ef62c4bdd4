import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Asking, QuestionState } from "../src/index.js";
import { FileTransport, Mail, Signer } from "../src/index.js";
import { Scratch } from "./scratch.js";

const SEED = new Uint8Array(32).fill(7);
const PUBLIC_KEY = "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c";

function answer(state: QuestionState | undefined): string | undefined {
  return state !== undefined && "answer" in state ? state.answer : undefined;
}

describe("a question", () => {
  const hive = (t: TestContext) => {
    const scratch = new Scratch(t, ["ops", "user-you", "worker-claude-7f3a"]);
    const { root } = scratch;
    const as = (actor: string, signer?: Signer): FileTransport => FileTransport.open({ root, actor, signer });
    const claude = as("claude-7f3a");
    const asked = async (asking: Asking = { choices: ["yes", "no"] }, to = "user://you"): Promise<string> => {
      const sent = await claude.ask({ from: "claude-7f3a", to: [to], lane: "Code" }, "may I merge?", asking);
      return sent.id;
    };
    const read = async (inbox: string): Promise<Mail> => {
      const received = await as("you").select(inbox);
      assert.ok(received !== undefined);
      return received.mail;
    };
    return { scratch, root, as, claude, asked, read };
  };

  it("is open until somebody who was asked answers", async (t) => {
    const { as, claude, asked, read } = hive(t);
    const id = await asked();
    assert.equal(claude.question(id)?.state, "open");
    const question = await read("user-you");
    assert.deepEqual(question.env.ask, ["yes", "no"]);
    await as("mallory").answer(question.env, "no");
    await as("you").answer(question.env, "YES\nbut rename it first\n");
    await as("you").answer(question.env, "no");
    const state = claude.question(id);
    assert.equal(answer(state), "yes");
    assert.ok(state !== undefined && "by" in state);
    assert.deepEqual([state.by, state.proof], ["you", "unproven"]);
    assert.deepEqual(
      state.setAside.map(({ why }) => why),
      ["not_asked", "late"],
    );
  });

  it("stays answered when its answer was taken and is done", async (t) => {
    const { as, claude, asked, read } = hive(t);
    const id = await asked();
    await as("you").answer((await read("user-you")).env, "no");
    const received = await claude.select("worker-claude-7f3a");
    assert.ok(received !== undefined);
    assert.equal(answer(claude.question(id)), "no");
    await claude.ack(received, "done");
    assert.equal(answer(claude.question(id)), "no");
  });

  it("is not answered by what it does not offer", async (t) => {
    const { as, asked, read } = hive(t);
    await asked();
    const question = await read("user-you");
    await assert.rejects(as("you").answer(question.env, "maybe"), /expected "yes" or "no"/);
  });

  it("to a domain is answered by whoever takes it", async (t) => {
    const { as, claude, asked } = hive(t);
    const id = await asked({}, "queen://ops");
    const received = await as("codex-19be").select("ops");
    assert.ok(received !== undefined);
    await as("mallory").answer(received.env, "nothing");
    await as("codex-19be").answer(received.env, "main");
    assert.equal(answer(claude.question(id)), "main");
  });

  it("has a default that permits something only where that is intended", async (t) => {
    const { claude, asked } = hive(t);
    const asking = { choices: ["yes", "no"], default: "yes", deadlineS: 60 };
    await assert.rejects(asked(asking), /defaultPermits/);
    assert.equal(claude.question(await asked({ ...asking, defaultPermits: true }))?.state, "open");
  });

  it("comes to its default at the deadline", async (t) => {
    const { root, asked } = hive(t);
    const id = await asked({ choices: ["yes", "no"], default: "No", deadlineS: 60 });
    const later = FileTransport.open({ root, actor: "claude-7f3a", clock: () => Date.now() + 61_000 });
    assert.equal(later.question(id)?.state, "defaulted");
    assert.equal(answer(later.question(id)), "no");
  });

  it("is proven to be answered by a key", async (t) => {
    const { scratch, as, claude, asked, read } = hive(t);
    const signer = Signer.ed25519("laptop", SEED);
    const entry = `{kid: laptop, algorithm: ed25519, actors: [you], public: "${PUBLIC_KEY}"}`;
    scratch.write(".deia/trust.yaml", `format: 1\nkeys:\n  - ${entry}\n`);
    const id = await asked();
    const question = await read("user-you");
    await as("you").answer(question.env, "yes");
    assert.equal(claude.question(id)?.state, "open");
    await as("you", signer).answer(question.env, "no");
    const state = claude.question(id);
    assert.ok(state !== undefined && "proof" in state);
    assert.deepEqual([state.answer, state.proof], ["no", "key"]);
  });
});
