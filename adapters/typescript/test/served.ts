import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { HttpTransport, type HttpOptions } from "../src/index.js";
import { Scratch } from "./scratch.js";
import { REPOSITORY } from "./vectors.js";

const PATIENCE_MS = 60_000;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** A hive that a real `rsm serve` serves, to be killed and started again. */
export class Served {
  private process?: ChildProcess;

  private constructor(
    readonly hive: Scratch,
    private readonly port: number,
    private readonly more: readonly string[],
  ) {}

  static async start(t: TestContext, more: readonly string[] = [], config = ""): Promise<Served> {
    const hive = new Scratch(t);
    hive.rsm("init", "--quiet");
    if (config !== "") {
      hive.write(".deia/hive.yaml", `format: 1\n${config}`);
    }
    const served = new Served(hive, await freePort(), more);
    t.after(() => served.kill());
    await served.serve();
    return served;
  }

  async serve(): Promise<void> {
    const { root } = this.hive;
    this.process = spawn(join(REPOSITORY, "rsm"), ["serve", "--bind", `127.0.0.1:${this.port}`, ...this.more], {
      cwd: root,
      stdio: "ignore",
      env: { PATH: process.env.PATH, RSM_NO_BUILD: "1", HOME: root, XDG_CONFIG_HOME: join(root, ".config") },
    });
    for (const end = Date.now() + PATIENCE_MS; !(await this.isUp()); ) {
      if (this.process.exitCode !== null || Date.now() > end) {
        throw new Error("rsm serve does not come up");
      }
      await pause(50);
    }
  }

  private async isUp(): Promise<boolean> {
    const socket = connect(this.port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  /** As a power cut would: it has no time for a last word. */
  async kill(): Promise<void> {
    const running = this.process;
    this.process = undefined;
    if (running !== undefined && running.exitCode === null && running.signalCode === null) {
      running.kill("SIGKILL");
      await once(running, "exit");
    }
  }

  open(options: Partial<HttpOptions> = {}): HttpTransport {
    const tokenFile = join(this.hive.root, ".config/pheromone/serve.token");
    const scheme = this.more.includes("--tls-key") ? "https" : "http";
    return HttpTransport.open({ url: `${scheme}://127.0.0.1:${this.port}`, actor: "ts", tokenFile, ...options });
  }
}
