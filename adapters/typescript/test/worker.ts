import { FileTransport } from "../src/index.js";

/** A process that takes or sends until there is nothing left, or for ever; it prints what it has surely done. */
const [root, deed, actor] = process.argv.slice(2);
const transport = FileTransport.open({ root, actor });

if (deed === "take") {
  for (let held = await transport.select("code"); held !== undefined; held = await transport.select("code")) {
    const settlement = await transport.ack(held, "done");
    if (settlement.kind === "settled" && settlement.state === "done") {
      console.log(held.env.id);
    }
  }
} else {
  for (;;) {
    const { id, copies } = await transport.send(
      { from: actor, to: ["queen://code"], lane: "Code", topic: "work" },
      "x".repeat(5_000),
    );
    if (copies[0].outcome === "delivered") {
      console.log(id);
    }
  }
}
