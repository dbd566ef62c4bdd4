import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { SseReader } from "../src/event-stream.js";
import { HttpProblem, HttpTransport, seal, Unreachable, type Draft, type HttpOptions } from "../src/index.js";

type Script = (socket: Socket) => Promise<void> | void;

const DRAFT: Draft = { from: "ts", to: ["queen://code"], lane: "Code", topic: "once" };

/** Plays one script a connection, the last again and again; keeps what it was asked. */
async function serve(
  t: TestContext,
  scripts: Script[],
  options: Partial<HttpOptions> = {},
): Promise<{ hive: HttpTransport; asked: string[] }> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    let text = "";
    socket.on("data", (part) => {
      text += part.toString("latin1");
      const head = text.indexOf("\r\n\r\n") + 4;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (head > 3 && text.length >= head + length) {
        asked.push(text);
        text = "";
        const script = scripts.length > 1 ? (scripts.shift() as Script) : scripts[0];
        void script(socket);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const given = { url, actor: "ts", token: "t".repeat(20), timeoutMs: 500, triesMax: 3, giveUpMs: 500, ...options };
  return { hive: HttpTransport.open(given), asked };
}

function answer(status: number, body = "", headers = "Content-Type: application/json\r\n"): Script {
  const length = Buffer.byteLength(body);
  return (socket) => void socket.end(`HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${length}\r\n\r\n${body}`);
}

const hangUp: Script = (socket) => void socket.destroy();

/** Dies in the midst of its answer. */
const breakOff: Script = (socket) => void socket.end('HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n{"ok":true}');

async function drip(socket: Socket): Promise<void> {
  socket.write("HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n");
  while (!socket.destroyed) {
    socket.write(" ");
    await pause(50);
  }
}

function receipt(id: string, copy: object): string {
  const to = [{ address: "queen://code", inbox: "code", ...copy }];
  return JSON.stringify({ ok: true, id, hash: `sha256:${"0".repeat(64)}`, to });
}

describe("a server that fails", () => {
  it("is asked again with the same bytes where that is safe", async (t) => {
    const mail = seal(DRAFT, "body");
    const delivered = receipt(mail.env.id, { state: "delivered", confirmed: true });
    const { hive, asked } = await serve(t, [hangUp, answer(503, "{}"), answer(201, delivered)]);
    assert.equal((await hive.sendMail(mail)).copies[0].outcome, "delivered");
    assert.equal(asked.length, 3);
    const bodies = asked.map((text) => text.slice(text.indexOf("\r\n\r\n") + 4));
    assert.deepEqual(new Set(bodies), new Set([Buffer.from(mail.bytes).toString("latin1")]));
    assert.match(asked[0], /authorization: Bearer t{20}\r\n/i);
  });

  it("is not asked twice for what must not be done twice", async (t) => {
    for (const script of [hangUp, breakOff]) {
      const { hive, asked } = await serve(t, [script]);
      await assert.rejects(hive.select("code"), Unreachable);
      assert.equal(asked.length, 1);
    }
  });

  it("is told again how work ended", async (t) => {
    const held = { inbox: "code", claim: "x" };
    const calls: [string, (hive: HttpTransport) => Promise<unknown>][] = [
      ["done", (hive) => hive.ack(held, "done")],
      ["waiting", (hive) => hive.ack(held, "error")],
      ["waiting", (hive) => hive.release(held)],
    ];
    for (const [state, call] of calls) {
      const { hive, asked } = await serve(t, [hangUp, answer(200, JSON.stringify({ state, confirmed: true }))]);
      assert.deepEqual(await call(hive), { kind: "settled", state });
      assert.equal(asked.length, 2);
    }
  });

  it("is given up if it is silent, or drips", async (t) => {
    for (const script of [() => {}, drip]) {
      const { hive } = await serve(t, [script], { triesMax: 1 });
      const began = Date.now();
      await assert.rejects(hive.inboxes(), Unreachable);
      assert.ok(Date.now() - began < 5_000);
    }
  });

  it("says what the problem is, and when to come again", async (t) => {
    const headers = "Content-Type: application/problem+json\r\nRetry-After: 7\r\n";
    const { hive, asked } = await serve(t, [answer(429, '{"code":"refused","detail":"not now"}', headers)]);
    await assert.rejects(hive.inboxes(), (e: HttpProblem) => {
      assert.deepEqual([e.status, e.code, e.detail, e.retryAfterS], [429, "refused", "not now", 7]);
      assert.equal(e.message, "the server answered 429: refused, not now");
      return true;
    });
    assert.equal(asked.length, 1, "who is refused does not insist");
  });

  it("tells what became of each copy", async (t) => {
    const copies: [number, object, string, boolean][] = [
      [201, { state: "delivered", confirmed: false }, "unconfirmed", true],
      [202, { state: "advisory", lock: { kind: "dnr", source: "x" } }, "withheld", true],
      [423, { state: "withheld", lock: { kind: "dnr", source: "x" } }, "withheld", false],
      [202, { state: "outbox", until_at: "2026-11-16T08:00:00Z" }, "parked", true],
      [409, { state: "conflict" }, "conflict", true],
      [429, { state: "refused", retry_after_s: 9 }, "refused", false],
    ];
    for (const [status, copy, outcome, isStored] of copies) {
      const mail = seal(DRAFT, "");
      const { hive } = await serve(t, [answer(status, receipt(mail.env.id, copy))]);
      const sent = await hive.sendMail(mail);
      assert.deepEqual([sent.copies[0].outcome, sent.path !== undefined], [outcome, isStored]);
    }
  });

  it("is no hive if it says something else", async (t) => {
    for (const body of ["<html>hello</html>", '{"items":[{}]}', "[".repeat(100_000)]) {
      const { hive } = await serve(t, [answer(200, body)]);
      await assert.rejects(hive.inboxes(), HttpProblem);
      await assert.rejects(hive.feed(), HttpProblem);
    }
    const { hive } = await serve(t, [(socket) => void socket.end("220 smtp\r\n")]);
    await assert.rejects(hive.inboxes(), Unreachable);
  });
});

describe("a stream that breaks", () => {
  /** Answers with these blocks, a chunk each, and breaks off in the midst of another. */
  function stream(...blocks: string[]): Script {
    return (socket) => {
      socket.write("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n");
      [...blocks, "id: 99-half\ndata: {"].forEach((block) =>
        socket.write(`${Buffer.byteLength(block).toString(16)}\r\n${block}\r\n`),
      );
      socket.end();
    };
  }

  function tick(n: number): string {
    const event = { ts: "2026-11-16T08:00:00.000Z", type: "tick", lane: "Ops", actor: "a", data: { n } };
    return `id: c${n}\ndata: ${JSON.stringify(event)}\n\n`;
  }

  it("is taken up behind the last whole event", async (t) => {
    const { hive, asked } = await serve(t, [
      stream('id: c0\nevent: place\ndata: {"cursor":"c0","reason":"it begins here"}\n\n', tick(1), tick(2)),
      answer(503, "{}"),
      stream("id: c2\n\n", ":\n\n", tick(3), 'id: c4\nevent: bad\ndata: {"reason":"torn"}\n\n'),
      stream("id: c4\n\n", 'id: c5\nevent: restart\ndata: {"reason":"replaced"}\n\n', tick(6)),
    ]);
    const following = await hive.follow();
    assert.equal(following.cursor, "c0");
    const seen: unknown[] = [];
    for await (const told of following) {
      seen.push([told.cursor, told.event?.data.n ?? told.reason, told.isRestart]);
      if (seen.length === 6) {
        break;
      }
    }
    assert.deepEqual(seen, [
      ["c1", 1, false],
      ["c2", 2, false],
      ["c3", 3, false],
      ["c4", "torn", false],
      ["c5", "replaced", true],
      ["c6", 6, false],
    ]);
    const shown = asked.map((text) => /last-event-id: (\S+)/i.exec(text)?.[1]);
    assert.deepEqual(shown.slice(0, 4), [undefined, "c2", "c2", "c4"]);
  });

  it("is given up if the server stays away", async (t) => {
    const { hive } = await serve(t, [stream("id: c0\n\n"), answer(503, "{}")]);
    const following = await hive.follow();
    await assert.rejects(following.next(), Unreachable);
    assert.equal(following.cursor, "c0", "another goes on there");
  });

  it("is read in any pieces", () => {
    const text = Buffer.from("id: 1\r\ndata: one\ndata: zwölf\n\n: comment\nevent: bad\ndata:x\n\nid\n\n");
    for (const size of [1, 3, 7, text.length]) {
      const reader = new SseReader();
      const blocks = [];
      for (let at = 0; at < text.length; at += size) {
        blocks.push(...reader.feed(text.subarray(at, at + size)));
      }
      assert.deepEqual(blocks, [
        { id: "1", kind: "", data: "one\nzwölf" },
        { kind: "bad", data: "x" },
        { id: "", kind: "" },
      ]);
    }
  });
});
