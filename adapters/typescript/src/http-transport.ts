import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { domainOf, parseActor, parseAddress, parseDomain } from "./address.js";
import { allows, type Reach } from "./consent.js";
import { checkSendable, type Received, type RecvOptions, type Sent, type Settlement } from "./delivery.js";
import { seal, type Draft } from "./draft.js";
import { parseLease } from "./duration.js";
import type { Envelope } from "./envelope.js";
import { EventStream } from "./event-stream.js";
import { Withheld } from "./guard.js";
import { NoSuchInbox } from "./hive.js";
import { HttpProblem, isOk, problemOf, Server, Unreachable, type Answer } from "./http-calls.js";
import { letterOf, list, pageOf, receivedOf, sentOf, settlementOf, text, understood, waitingOf } from "./http-json.js";
import type { Letter, Page, WaitingMail } from "./http-json.js";
import { parseId } from "./id.js";
import type { RSMTransport } from "./interfaces.js";
import type { Mail } from "./mail.js";
import { answerAddresses, answerDraft, askOf, lookAt, topicOf } from "./question.js";
import type { Asking, QuestionState, StoredAnswer } from "./question.js";
import type { RseEvent, RseReading } from "./rse.js";
import { TrustList, type Signer } from "./signature.js";
import { instantOfMillis } from "./time.js";

const JSON_TYPE = "application/json";
const TIMEOUT_MS = 60_000;
const TRIES_MAX = 4;
const GIVE_UP_MS = 300_000;
const POLL_MS = 500;
/** How long one call waits for mail: who waits longer asks again. */
const WAIT_S = 20;
const PAGE_EVENTS_MAX = 10_000;
/** How much waiting mail is looked through for answers. */
const ANSWERS_MAX = 1_000;
const NO_CONTENT = 204;
const NOT_FOUND = 404;

/** How a served hive is opened. */
export interface HttpOptions {
  /** Where it is served: `https://hive.example.org:7777`. */
  readonly url: string;
  /** Who works here: the name in claims and events. */
  readonly actor: string;
  /** What `rsm serve` wants to be shown, or the file that it is in. */
  readonly token?: string;
  readonly tokenFile?: string;
  /** A PEM file with the certificate of whoever vouches for the server, where the platform does not know it. */
  readonly caFile?: string;
  /** How far mail goes by this way: the team on this machine, everybody beyond, unless you know better. */
  readonly reach?: Reach;
  /** Signs what is sent. */
  readonly signer?: Signer;
  /** How long one answer may take. */
  readonly timeoutMs?: number;
  /** How often a call that may be repeated is made before it fails. */
  readonly triesMax?: number;
  /** For how long `recv` and `follow` go on without a server. */
  readonly giveUpMs?: number;
}

/**
 * A hive that another process serves over HTTP. Calls that may be repeated are, a few times; after that, or where it
 * would not be safe, `Unreachable` says that nobody knows whether the server did it. What it refuses is an
 * `HttpProblem`. Claims live by their lease alone.
 */
export class HttpTransport implements RSMTransport {
  private constructor(
    private readonly server: Server,
    private readonly actor: string,
    private readonly reach: Reach,
    private readonly signer: Signer | undefined,
    private readonly giveUpMs: number,
  ) {}

  /** Prepares for calls; none is made yet. */
  static open(options: HttpOptions): HttpTransport {
    if (options.token !== undefined && options.tokenFile !== undefined) {
      throw new RangeError("token, tokenFile: found both, expected one");
    }
    const server = new Server({
      url: options.url,
      token: options.tokenFile === undefined ? options.token : readFileSync(options.tokenFile, "utf8").trim(),
      ca: options.caFile === undefined ? undefined : readFileSync(options.caFile),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      triesMax: options.triesMax ?? TRIES_MAX,
    });
    const reach = options.reach ?? (server.isHere ? "team" : "public");
    return new HttpTransport(server, parseActor(options.actor), reach, options.signer, options.giveUpMs ?? GIVE_UP_MS);
  }

  get url(): string {
    return this.server.url;
  }

  /** Seals, signs if there is a signer, and sends. Fails with `NoSuchInbox` if somebody in `to` does not exist. */
  async send(env: Draft, bodyMd: string): Promise<Sent> {
    const sealed = seal(env, bodyMd);
    return this.sendMail(this.signer?.sign(sealed) ?? sealed);
  }

  /**
   * Asks: sends a question, to be answered by the first valid answer of somebody in `to`. Without choices any text is an
   * answer. Fails with `RangeError` for a question that nobody could answer, and for a default that may permit something
   * where nobody said that this is intended.
   */
  async ask(env: Omit<Draft, "topic"> & Partial<Pick<Draft, "topic">>, question: string, asking: Asking): Promise<Sent> {
    return this.send({ topic: topicOf(question), ...env, ...askOf(asking, instantOfMillis(Date.now())) }, question);
  }

  /** Answers: the first line of `bodyMd` is one of the choices, in any case. Fails with `RangeError` if it is none. */
  async answer(question: Envelope, bodyMd: string, env: Partial<Draft> = {}): Promise<Sent> {
    return this.send(answerDraft(question, bodyMd, { from: this.actor, to: [await this.addressOf(question)], ...env }), bodyMd);
  }

  /**
   * What a question has come to, by the answers that wait; undefined if it asks nothing, or can't be seen from here.
   *
   * A server shows what waits, and not what was taken: an answer that somebody has taken is not met any more. It does not
   * lend its keys either, so that a signed answer counts only if `trust` has its key. Who took a question of a domain is
   * not told: an answer of any actor counts there.
   */
  async question(question: Envelope | string, trust = new TrustList([])): Promise<QuestionState | undefined> {
    const envelope = typeof question === "string" ? (await this.read(question))?.mail.env : question;
    if (envelope === undefined || envelope.ask === undefined) {
      return undefined;
    }
    const answers: StoredAnswer[] = [];
    for (const item of await this.waiting(domainOf(parseAddress(await this.addressOf(envelope))), ANSWERS_MAX)) {
      const mail = item.answer ? (await this.read(item.id))?.mail : undefined;
      if (mail?.env.answer !== undefined && mail.env.correlation_id === envelope.id) {
        answers.push({
          id: mail.env.id,
          from: mail.env.from,
          text: mail.env.answer,
          storedAt: item.firstSeen,
          hashMatches: mail.hashMatches(),
          check: trust.check(mail, item.firstSeen),
          hasTaken: true,
        });
      }
    }
    return lookAt(envelope, answers, (actor, at) => trust.hasKey(actor, at), instantOfMillis(Date.now()));
  }

  /** Where an answer goes: to a worker, unless a person of that name has an inbox. */
  private async addressOf(question: Envelope): Promise<string> {
    const known = await this.inboxes();
    const addresses = answerAddresses(question);
    return addresses.find((one) => known.includes(domainOf(parseAddress(one)))) ?? addresses[0];
  }

  /**
   * Sends these very bytes: what a sender that tries again does. Mail beyond its consent, or public
   * mail that holds what must not be, is a `RangeError`.
   */
  async sendMail(mail: Mail): Promise<Sent> {
    checkSendable(mail);
    const { id, consent } = mail.env;
    if (!allows(consent, this.reach)) {
      throw new RangeError(`envelope ${id}: consent is ${consent}, and this way reaches ${this.reach}`);
    }
    const answer = await this.server.post("/v1/envelopes", "text/markdown", mail.bytes, { repeat: true });
    if (answer.body.code === "not_public") {
      // The server says by kind what it found, and has stored nothing.
      throw new RangeError(`envelope ${id}: ${String(answer.body.detail)}`);
    }
    // What became of each copy is told with refusals, too.
    if (answer.body.to === undefined) {
      throw failure(answer);
    }
    return understood("receipt", () => sentOf(answer.body, this.location(id)));
  }

  /**
   * What comes to an inbox, the most urgent first, for as long as it is asked for. Each is claimed: it is ours until the
   * lease ends, so that whoever leaves the loop early should `release` what it holds. Under a lock it waits, and through
   * restarts of the server, too.
   */
  async *recv(inbox: string, options: RecvOptions = {}): AsyncGenerator<Received, void, undefined> {
    let heardMs = Date.now();
    const isOver = (): boolean => options.signal?.aborted === true;
    while (!isOver()) {
      let received: Received | undefined;
      try {
        received = await this.take(inbox, options.lease, WAIT_S, options.signal);
        heardMs = Date.now();
      } catch (e) {
        if (isOver()) {
          return;
        }
        if (e instanceof Withheld) {
          heardMs = Date.now();
        } else if (!(e instanceof Unreachable) || Date.now() - heardMs > this.giveUpMs) {
          throw e;
        }
        await pause(options.pollMs ?? POLL_MS, undefined, { signal: options.signal }).catch(() => {});
      }
      if (received !== undefined) {
        yield received;
      }
    }
  }

  /** Takes the most urgent envelope; undefined if nothing is ready, or a lock forbids it. */
  async select(inbox: string, options: Pick<RecvOptions, "lease"> = {}): Promise<Received | undefined> {
    try {
      return await this.take(inbox, options.lease, 0);
    } catch (e) {
      if (e instanceof Withheld) {
        return undefined;
      }
      throw e;
    }
  }

  /** Not repeated when its answer is lost: then the envelope returns when the lease is over. */
  private async take(
    inbox: string,
    lease: string | undefined,
    waitS: number,
    signal?: AbortSignal,
  ): Promise<Received | undefined> {
    const wish = {
      worker: this.actor,
      wait_s: waitS,
      ...(lease !== undefined && { lease_s: parseLease(lease) }),
    };
    const path = `/v1/inboxes/${parseDomain(inbox)}/select`;
    const answer = await this.server.post(path, JSON_TYPE, jsonOf(wish), {
      repeat: false,
      waitMs: waitS * 1000,
      signal,
    });
    if (answer.status === NO_CONTENT) {
      return undefined;
    }
    const { body } = ok(answer);
    return understood("claim", () => receivedOf(body, this.location(text(body, "id"))));
  }

  /** Says how work goes: `accepted` renews the lease, `done` finishes for good, `error` gives it back as failed. */
  async ack(
    held: Pick<Received, "inbox" | "claim">,
    status: "accepted" | "done" | "error",
    notes = "",
  ): Promise<Settlement> {
    return this.settle(held, "ack", { status, note: notes });
  }

  /** Gives it back, without blame: the next reader gets it at once. */
  async release(held: Pick<Received, "inbox" | "claim">, notes = ""): Promise<Settlement> {
    return this.settle(held, "release", { note: notes });
  }

  private async settle(
    { inbox, claim }: Pick<Received, "inbox" | "claim">,
    verb: "ack" | "release",
    body: object,
  ): Promise<Settlement> {
    const path = `/v1/claims/${encodeURIComponent(`${parseDomain(inbox)}.${claim}`)}`;
    // The server knows what it heard before, and says the same again.
    const answer = await this.server.post(`${path}/${verb}`, JSON_TYPE, jsonOf(body), { repeat: true });
    if (answer.body.state === undefined) {
      throw failure(answer);
    }
    return understood("end of a claim", () => settlementOf(answer.body, `${this.url}${path}`));
  }

  /** The inboxes there are, by name. */
  async inboxes(): Promise<string[]> {
    const { body } = ok(await this.server.get("/v1/inboxes"));
    return understood("list of inboxes", () => list(body, "items").map((item) => text(item, "inbox")));
  }

  /** What waits in an inbox, in the order in which it would be taken; a look, which changes nothing. */
  async waiting(inbox: string, limit = 100): Promise<WaitingMail[]> {
    const { body } = ok(await this.server.get(`/v1/inboxes/${parseDomain(inbox)}?limit=${limit}`));
    return understood("inbox", () => waitingOf(body));
  }

  /** An envelope, wherever it is in its life; undefined if none has this id, or it may not be seen from here. */
  async read(id: string): Promise<Letter | undefined> {
    const answer = await this.server.get(`/v1/envelopes/${parseId(id)}`);
    if (answer.status === NOT_FOUND) {
      return undefined;
    }
    const { body } = ok(answer);
    return understood("envelope", () => letterOf(body));
  }

  /** What happened, as far as the hive's log tells it. Fails with `Withheld` if a lock forbids to read it. */
  async events(): Promise<RseReading> {
    let events: RseEvent[] = [];
    let bad: string[] = [];
    let page: Page | undefined;
    do {
      page = await this.feed(page?.cursor);
      events = page.restarted ? [...page.events] : events.concat(page.events);
      bad = page.restarted ? [...page.bad] : bad.concat(page.bad);
    } while (page.more);
    return { events, bad, held: 0 };
  }

  /** A page of the event log from a cursor on; the page has the one to go on from. */
  async feed(after = "0", limit = PAGE_EVENTS_MAX): Promise<Page> {
    const answer = ok(await this.server.get(`/rse/feed?after=${encodeURIComponent(after)}&limit=${limit}`));
    return understood("page of events", () => pageOf(answer.text));
  }

  /** The event log as it grows, from the cursor `after` on, or from now on. Nothing is missed once it is there. */
  async follow(after?: string): Promise<EventStream> {
    return EventStream.open(this.server, after, this.giveUpMs);
  }

  private location(id: string): string {
    return `${this.url}/v1/envelopes/${id}`;
  }
}

function jsonOf(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function ok(answer: Answer): Answer {
  if (!isOk(answer)) {
    throw failure(answer);
  }
  return answer;
}

function failure(answer: Answer): Error {
  const problem = problemOf(answer);
  if (problem instanceof HttpProblem && problem.code === "no_such_inbox") {
    const { address, known } = problem.body as { address?: string; known?: string[] };
    return new NoSuchInbox(String(address), Array.isArray(known) ? known : []);
  }
  return problem;
}
