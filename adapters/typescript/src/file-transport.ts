import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { addressOf, domainOf, formatAddress, knownLane, parseActor, parseAddress, parseDomain } from "./address.js";
import { Admissions } from "./admission.js";
import { Answers } from "./answers.js";
import { parseClaim, randomTag, tokenOf, type Claim } from "./claim-token.js";
import { Claims, type Ending } from "./claims.js";
import { ttlTo, type HiveConfig } from "./config.js";
import { seal, type Draft } from "./draft.js";
import { parseLease } from "./duration.js";
import type { Envelope } from "./envelope.js";
import { ENVELOPE_BYTES_MAX } from "./envelope-text.js";
import { FileInbox, type Glances, type Taken } from "./file-inbox.js";
import { Withheld } from "./guard.js";
import { findHive, hiveAt } from "./hive-root.js";
import { Hive, NoSuchInbox } from "./hive.js";
import { parseId } from "./id.js";
import type { RSEEmitter, RSMTransport } from "./interfaces.js";
import type { JsonObject } from "./json.js";
import { fileNameOf, type State } from "./layout.js";
import { accepted, begun, held, over, sentAgain, textOf, type Life, type Likeness } from "./life.js";
import type { Lock } from "./locks.js";
import { Mail } from "./mail.js";
import { keepMail, keepOutcome, type Outcome } from "./mirror.js";
import { mutedUntil } from "./mutes.js";
import { ownSecret } from "./own-keys.js";
import { answerAddresses, answerDraft, askOf, topicOf, type Asking, type QuestionState } from "./question.js";
import { countRefusal } from "./refusals.js";
import type { RseReading } from "./rse.js";
import { checkSendable, receipt, refusal, refusePublic } from "./delivery.js";
import type { Copy, Options, Received, RecvOptions, Sent, Settlement, Wait } from "./delivery.js";
import type { Signer } from "./signature.js";
import { millisOf } from "./time.js";

const TAG_LENGTH = 8;
const POLL_MS = 500;
const NAME_TRIES_MAX = 3;

/** A hive on this machine's disk. Any number of processes, of any language, may have the same hive open. */
export class FileTransport implements RSMTransport {
  private readonly admissions: Admissions;
  private readonly claims: Claims;
  private readonly glances: Glances = new Map();

  private constructor(
    private readonly hive: Hive,
    private readonly signer: Signer | undefined,
  ) {
    this.admissions = new Admissions(hive);
    this.claims = new Claims(hive);
  }

  /**
   * Opens a hive. Fails with `NoHive` if there is none. Under a lock it opens, too: mail can be sent into the mirror.
   */
  static open(options: Options): FileTransport {
    const named = options.root ?? process.env.RSM_ROOT;
    const root = named ? hiveAt(named) : findHive(process.cwd());
    const hive = new Hive(root, parseActor(options.actor), options.clock ?? Date.now, options.secrets ?? ownSecret);
    return new FileTransport(hive, options.signer);
  }

  get root(): string {
    return this.hive.layout.root;
  }

  /** The hive's event log; while that is locked, the mirror's. */
  readonly log: RSEEmitter = { emit: async (event) => this.hive.append(event) };

  /**
   * What happened, as far as the logs of hive and mirror tell it. Fails with `Withheld` if a lock forbids to read them.
   */
  events(): RseReading {
    return this.hive.events();
  }

  /** Troubles that changed nothing about what was done, such as an event log that can't be written. */
  get problems(): readonly string[] {
    return this.hive.problems;
  }

  /** The lock that forbids to do this to `path`, which may lie anywhere below the hive root; undefined if none does. */
  lockOn(path: string, access: "read" | "write" | "erase"): Lock | undefined {
    return this.hive.guard.check(path, access);
  }

  /** Seals, signs if there is a signer, and sends. Fails with `NoSuchInbox` if somebody in `to` does not exist. */
  async send(env: Draft, bodyMd: string): Promise<Sent> {
    const sealed = seal({ ...env, ttl: env.ttl ?? this.ttlTo(env.to) }, bodyMd, this.hive.clock());
    return this.sendMail(this.signer?.sign(sealed) ?? sealed);
  }

  /** How long mail lives whose sender does not say; under a lock nobody knows what `hive.yaml` says. */
  private ttlTo(to: readonly string[]): string | undefined {
    try {
      return ttlTo(this.hive.config(), to.map(parseAddress));
    } catch (e) {
      if (e instanceof Withheld) {
        return undefined;
      }
      throw e;
    }
  }

  /**
   * Asks: sends a question, to be answered by the first valid answer of somebody in `to`. Without choices any text is an
   * answer. Fails with `RangeError` for a question that nobody could answer, and for a default that may permit something
   * where nobody said that this is intended.
   */
  async ask(env: Omit<Draft, "topic"> & Partial<Pick<Draft, "topic">>, question: string, asking: Asking): Promise<Sent> {
    return this.send({ topic: topicOf(question), ...env, ...askOf(asking, this.hive.now()) }, question);
  }

  /** Answers: the first line of `bodyMd` is one of the choices, in any case. Fails with `RangeError` if it is none. */
  async answer(question: Envelope, bodyMd: string, env: Partial<Draft> = {}): Promise<Sent> {
    return this.send(answerDraft(question, bodyMd, { from: this.hive.self, to: [this.addressOf(question)], ...env }), bodyMd);
  }

  /**
   * What a question has come to, by its envelope or its id; undefined if it asks nothing, or if there is none here. The
   * log is told by `rsm`, whoever of its users looks next.
   */
  question(question: Envelope | string): QuestionState | undefined {
    const answers = new Answers(this.hive);
    const envelope = typeof question === "string" ? answers.find(parseId(question)) : question;
    return envelope === undefined ? undefined : answers.look(envelope);
  }

  /** Where an answer goes: to a worker, unless a person of that name has an inbox. */
  private addressOf(question: Envelope): string {
    const addresses = answerAddresses(question);
    const config = this.hive.config();
    return addresses.find((one) => this.hive.hasInbox(domainOf(parseAddress(one)), config)) ?? addresses[0];
  }

  /** Sends these very bytes: what a sender that tries again does. */
  async sendMail(mail: Mail): Promise<Sent> {
    checkSendable(mail);
    refusePublic(mail);
    try {
      const wait = this.delay(mail);
      if (wait !== undefined) {
        await pause(wait.seconds * 1000);
      }
      return receipt(mail, this.publish(mail), wait);
    } catch (e) {
      if (!(e instanceof Withheld)) {
        throw e;
      }
      return receipt(mail, this.withheld(mail, e));
    }
  }

  /** The longest that a full inbox wants a sender to wait. */
  private delay(mail: Mail): Wait | undefined {
    const config = this.hive.config();
    const domains = this.hive.resolve(mail.env.to, config);
    const waits = domains
      .filter((domain) => this.earlier(domain, mail) === undefined)
      .map((domain) => ({ domain, admission: this.admissions.ask(domain, mail, config) }))
      .flatMap(({ domain, admission }) =>
        admission.kind === "admitted" && admission.delayMs > 0
          ? {
              seconds: admission.delayMs / 1000,
              reason: `${domains.length > 1 ? `${formatAddress(addressOf(domain))}: ` : ""}${admission.reason}`,
            }
          : [],
      );
    return waits.sort((a, b) => b.seconds - a.seconds).at(0);
  }

  private publish(mail: Mail): Copy[] {
    const { files, layout } = this.hive;
    const { env } = mail;
    const config = this.hive.config();
    if (knownLane(env.lane) === undefined && !config.lanes.includes(env.lane)) {
      throw new RangeError(`lane: found "${env.lane}", expected a known lane, or one that hive.yaml lists`);
    }
    const domains = this.hive.resolve(env.to, config);
    // It is withheld whole if any path that it needs is blocked.
    files.require(layout.log, "write");
    domains.forEach((domain) => files.require(layout.mail(domain, env.id), "write"));
    this.makeOwnInbox(env.from, config);
    const plans = domains.map((domain) => ({
      domain,
      earlier: this.earlier(domain, mail),
      admission: this.admissions.ask(domain, mail, config),
    }));
    if (plans.some(({ earlier, admission }) => earlier === undefined && admission.kind === "admitted")) {
      const drop: JsonObject = { topic: env.topic, priority: env.priority, ref: env.id, ttl: env.ttl };
      if (env.tags.length > 0) {
        drop.tags = [...env.tags];
      }
      this.hive.tellOf(env, "pheromone_drop", drop, env.from);
    }
    for (const { domain, earlier, admission } of plans) {
      if (earlier === undefined && admission.kind === "refused" && admission.bySender) {
        countRefusal(this.hive, domain, env.from, admission.reason);
      }
    }
    return plans.map(
      ({ domain, earlier, admission }) => earlier ?? refusal(domain, admission) ?? this.tryDeliver(domain, mail),
    );
  }

  /** One copy that the disk refuses must not hide what became of the others. */
  private tryDeliver(domain: string, mail: Mail): Copy {
    try {
      return this.deliver(domain, mail);
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      return { inbox: domain, outcome: "failed", reason: (e as Error).message };
    }
  }

  /** Puts a copy into an inbox, or aside if its sender is muted. */
  private deliver(domain: string, mail: Mail): Copy {
    const { files, layout } = this.hive;
    const { env } = mail;
    const until = mutedUntil(this.hive, env.from);
    const folder = until !== undefined ? layout.parked(env.from, domain) : layout.inbox(domain);
    const path = layout.nameOf(join(folder, `${env.id}.md`));
    for (let tries = 0; ; tries++) {
      const [name, draft] = [`${env.id}.md`, `${env.id}.${randomTag(TAG_LENGTH)}`];
      const published =
        until === undefined
          ? files.publishAtOnce(folder, name, draft, mail.bytes)
          : files.publish(folder, name, draft, mail.bytes, join(layout.inbox(domain), ".tmp"));
      if (published !== "taken") {
        if (until !== undefined) {
          this.admissions.delivered(domain, mail);
          this.hive.tellOf(env, "rsm_envelope_park", { id: env.id, from: env.from, inbox: domain, path, until });
          return { inbox: domain, outcome: "parked", path };
        }
        this.tellEmit(domain, mail, path);
        return { inbox: domain, outcome: published === "published" ? "delivered" : "unconfirmed", path };
      }
      const likeness = this.hive.compare(mail, join(folder, `${env.id}.md`));
      if (likeness !== undefined || tries === NAME_TRIES_MAX) {
        return this.again(domain, env.id, begun(this.hive.now()), likeness ?? "other", path);
      }
    }
  }

  private tellEmit(domain: string, mail: Mail, path: string): void {
    const { env } = mail;
    const data = {
      id: env.id,
      to: [...env.to],
      priority: env.priority,
      ttl: env.ttl,
      path,
      hash: env.hash,
      inbox: domain,
    };
    // The mail itself proves it: the first rsm after a power cut tells it again.
    this.hive.tellOf(env, "rsm_envelope_emit", data, env.from, "proven");
    this.admissions.delivered(domain, mail);
  }

  /** What an earlier sending of this envelope, or of another with its id, left: waiting, with a worker, or finished. */
  private earlier(domain: string, mail: Mail): Copy | undefined {
    const { files, layout } = this.hive;
    const { id, hash } = mail.env;
    const seen = this.hive.askSeen(domain, id, hash);
    if (seen === "same") {
      // Whoever finished it may not have come so far as to force it to the disk.
      files.force(layout.seenName(domain, id, hash));
    }
    if (seen !== "new") {
      return this.again(domain, id, over("done"), seen, layout.nameOf(layout.seen(domain, id)));
    }
    const worked = [layout.active(domain), layout.returning(domain)].flatMap((folder) =>
      files
        .list(folder)
        .filter((name) => name.startsWith(`${id}.`))
        .map((name) => join(folder, name)),
    );
    this.claims.buryTorn(domain, id);
    for (const file of [layout.mail(domain, id), ...worked]) {
      const likeness = this.hive.compare(mail, file);
      if (likeness !== undefined) {
        return this.again(domain, id, begun(this.hive.now()), likeness, layout.nameOf(file));
      }
    }
    return undefined;
  }

  /** What becomes of mail whose id another copy has. */
  private again(inbox: string, id: string, known: Life, likeness: Likeness, path: string): Copy {
    const resend = sentAgain(known, likeness, id);
    return resend.kind === "conflict"
      ? { inbox, outcome: "conflict", path, reason: resend.reason }
      : { inbox, outcome: "duplicate", path };
  }

  /** A sender's inbox is made at its first send, so that a reply has somewhere to go. */
  private makeOwnInbox(from: string, config: HiveConfig): void {
    const { files, layout, self } = this.hive;
    const name = fileNameOf(from);
    if (from === self && !["user", "worker"].some((kind) => this.hive.hasInbox(`${kind}-${name}`, config))) {
      files.createFolder(join(layout.inbox(`worker-${name}`), ".tmp"));
    }
  }

  /** Keeps in the mirror what a lock forbids to send. Each address stands for its usual inbox. */
  private withheld(mail: Mail, e: Withheld): Copy[] {
    const path = keepMail(this.hive, mail);
    this.hive.reportLock(e, path === undefined || path === "conflict" ? "blocked" : "advisory");
    const reason = `${e.lock.reason}${path === undefined ? "; it could not be kept, because the embargo is locked, too" : ""}`;
    const inboxes = [...new Set(mail.env.to.map((address) => domainOf(parseAddress(address))))];
    return inboxes.map((inbox) =>
      path === "conflict"
        ? { inbox, outcome: "conflict", reason: textOf("id-taken", mail.env.id) }
        : { inbox, outcome: "withheld", path, reason },
    );
  }

  /**
   * What comes to an inbox, the most urgent first, for as long as it is asked for. Each is claimed: it is ours until the
   * lease ends, so that whoever leaves the loop early should `release` what it holds. Under a lock it waits.
   */
  async *recv(inbox: string, options: RecvOptions = {}): AsyncGenerator<Received, void, undefined> {
    while (options.signal?.aborted !== true) {
      const received = await this.select(inbox, options);
      if (received !== undefined) {
        yield received;
        continue;
      }
      try {
        await pause(options.pollMs ?? POLL_MS, undefined, { signal: options.signal });
      } catch {
        return;
      }
    }
  }

  /** Takes the most urgent envelope; undefined if nothing is ready, or a lock forbids it. */
  async select(inbox: string, options: Pick<RecvOptions, "lease"> = {}): Promise<Received | undefined> {
    const domain = parseDomain(inbox);
    try {
      const config = this.hive.config();
      if (!this.hive.hasInbox(domain, config)) {
        throw new NoSuchInbox(formatAddress(addressOf(domain)), this.hive.domains(config));
      }
      const leaseS = options.lease === undefined ? config.leaseSeconds : parseLease(options.lease);
      const taken = new FileInbox(this.hive, domain, config, this.glances).select(leaseS);
      return taken && this.received(domain, taken);
    } catch (e) {
      if (e instanceof Withheld) {
        this.hive.reportLock(e, "blocked");
        return undefined;
      }
      throw e;
    }
  }

  private received(domain: string, { mail, claim, signature }: Taken): Received {
    const { layout } = this.hive;
    const token = tokenOf(claim);
    return {
      env: mail.env,
      bodyMd: mail.bodyMd,
      path: layout.nameOf(layout.claim(domain, token)),
      inbox: domain,
      claim: token,
      attempt: claim.attempt,
      signature,
      mail,
    };
  }

  /** Says how work goes: `accepted` renews the lease, `done` finishes for good, `error` gives it back as failed. */
  async ack(
    held: Pick<Received, "inbox" | "claim">,
    status: "accepted" | "done" | "error",
    notes = "",
  ): Promise<Settlement> {
    switch (status) {
      case "accepted":
        return this.renew(held, notes);
      case "done":
      case "error":
        return this.settle(held, status, notes);
      default:
        // Said in JavaScript, or past the types: as another word it would be another deed.
        throw new RangeError(`status: found "${String(status)}", expected accepted, done or error`);
    }
  }

  /** Gives it back, without blame: the next reader gets it at once. */
  async release(held: Pick<Received, "inbox" | "claim">, notes = ""): Promise<Settlement> {
    return this.settle(held, "released", notes);
  }

  private renew({ inbox, claim }: Pick<Received, "inbox" | "claim">, notes: string): Settlement {
    const { files, layout, clock } = this.hive;
    const token = checked(claim);
    try {
      const file = layout.claim(parseDomain(inbox), claim);
      const bytes = files.read(file, ENVELOPE_BYTES_MAX);
      if (bytes === undefined) {
        return { kind: "lost" };
      }
      files.touch(file, clock());
      const answer = accepted(held(token, this.hive.now()), claim, notes, this.hive.now());
      if (answer.kind !== "taken") {
        return { kind: "lost" };
      }
      this.claims.tell(parseDomain(inbox), token.id, { step: answer.step, env: Mail.parse(bytes).env });
      return { kind: "renewed", untilMs: millisOf(answer.step.life.holder?.leaseEndsAt ?? this.hive.now()) };
    } catch (e) {
      if (e instanceof Withheld) {
        // A lease does not end under a lock, so that there is nothing to renew.
        this.hive.reportLock(e, "blocked");
        return { kind: "withheld", lock: e.lock };
      }
      throw e;
    }
  }

  private settle(
    { inbox, claim: token }: Pick<Received, "inbox" | "claim">,
    outcome: Outcome,
    note: string,
  ): Settlement {
    const domain = parseDomain(inbox);
    const claim = checked(token);
    try {
      const ending =
        outcome === "done" ? this.finish(domain, claim, note) : this.giveBack(domain, claim, outcome, note);
      if (ending === undefined) {
        const state = this.claims.toldBefore(domain, claim, outcome);
        return state === undefined ? { kind: "lost" } : { kind: "settled", state };
      }
      const state = ending.step.life.state as State | "waiting";
      return { kind: "settled", state, ...(ending.isUnconfirmed && { isUnconfirmed: true }) };
    } catch (e) {
      if (!(e instanceof Withheld)) {
        throw e;
      }
      const kept = keepOutcome(this.hive, domain, token, outcome, note);
      this.hive.reportLock(e, kept === undefined ? "blocked" : "advisory");
      return { kind: "withheld", lock: e.lock, kept };
    }
  }

  private finish(domain: string, claim: Claim, note: string): Ending | undefined {
    const ending = this.claims.finish(domain, claim, note);
    this.claims.tell(domain, claim.id, ending);
    return ending;
  }

  private giveBack(domain: string, claim: Claim, outcome: "error" | "released", note: string): Ending | undefined {
    const reason = outcome === "error" ? "failed" : "released";
    const ending = this.claims.giveBack(domain, claim, reason, note, this.hive.config().attempts);
    this.claims.tell(domain, claim.id, ending);
    return ending;
  }
}

function checked(token: string): Claim {
  const claim = parseClaim(token);
  if (claim === undefined) {
    throw new RangeError(`claim: found "${token}", expected id.attempt.worker.claimed.lease.tag as recv gave it`);
  }
  return claim;
}
