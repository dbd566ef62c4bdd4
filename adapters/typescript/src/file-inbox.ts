import { join } from "node:path";
import { parseTtl } from "./duration.js";
import type { HiveConfig } from "./config.js";
import type { Envelope } from "./envelope.js";
import { Withheld } from "./guard.js";
import { hasCode } from "./guarded-files.js";
import type { Hive } from "./hive.js";
import { Claims } from "./claims.js";
import { randomTag, tokenOf, type Claim } from "./claim-token.js";
import { type Facts } from "./history.js";
import { isId } from "./id.js";
import { look } from "./inspector.js";
import { Leftovers } from "./leftovers.js";
import { begun, ended, held, objections, over, rules, stateOf, textOf } from "./life.js";
import type { Life, Likeness, Why } from "./life.js";
import type { Mail } from "./mail.js";
import { eventsOfClaim } from "./mail-events.js";
import { mutedUntil } from "./mutes.js";
import * as selection from "./selection.js";
import type { Urgency } from "./selection.js";
import { MILLI, parseInstant, SECOND } from "./time.js";
import type { SignatureCheck } from "./signature.js";

/** An envelope that is ours to work on. */
export interface Taken {
  readonly mail: Mail;
  readonly claim: Claim;
  readonly signature: SignatureCheck;
}

/** What was seen of the files of inboxes, by path, good for as long as the file's times, size and inode are these. */
export type Glances = Map<
  string,
  { readonly key: string; readonly mail: Mail; readonly facts: Facts; readonly ctimeNs: bigint }
>;

interface Waiting {
  readonly file: string;
  readonly mail: Mail;
  readonly urgency: Urgency;
  readonly facts: Facts;
}

const TAG_LENGTH = 6;
const GLANCES_MAX = 10_000;
/** How many bad or expired files one selection clears away, so that a heap of them delays no mail. */
const CHORES_MAX = 16;

/** The taking of mail from one inbox. */
export class FileInbox {
  private readonly claims: Claims;
  private chores = 0;

  constructor(
    private readonly hive: Hive,
    private readonly domain: string,
    private readonly config: HiveConfig,
    private readonly glances: Glances,
  ) {
    this.claims = new Claims(hive);
  }

  /** Takes the most urgent envelope; undefined if nothing is ready. */
  select(leaseS: number): Taken | undefined {
    this.chores = 0;
    this.claims.reap(this.domain, this.config.attempts);
    const waiting = this.waiting();
    const turn = selection.turnOf(this.pickNumber(), this.config.dueTurn, this.isDraining());
    const order = selection.byTurn(turn, this.hive.now());
    waiting.sort((one, other) => order(one.urgency, other.urgency));
    let failure: unknown;
    for (const one of waiting) {
      let claim: Claim | undefined;
      try {
        claim = this.claim(one, leaseS);
      } catch (e) {
        if (e instanceof Withheld) {
          throw e;
        }
        // One that can't be taken does not keep the others back.
        failure ??= e;
        continue;
      }
      const signature = claim && this.examined(claim, one);
      if (claim !== undefined && signature !== undefined) {
        const why = selection.rationale(one.urgency, turn, waiting.length, this.hive.now());
        this.tell(claim, one, why);
        return { mail: one.mail, claim, signature };
      }
    }
    if (failure !== undefined) {
      throw failure;
    }
    return undefined;
  }

  /** What may be taken. Clears away, on the way, what is no mail or whose time is over. */
  private waiting(): Waiting[] {
    const found: Waiting[] = [];
    const now = this.hive.now();
    const folder = this.hive.layout.inbox(this.domain);
    const muted = new Map<string, boolean>();
    for (const name of this.hive.files.list(folder)) {
      if (name.startsWith(".") || !name.endsWith(".md")) {
        continue;
      }
      const file = join(folder, name);
      const glance = this.glance(file, name);
      if (glance === undefined) {
        continue;
      }
      const { mail, facts } = glance;
      const urgency = this.urgency(mail, facts, glance.ctimeNs);
      if (selection.isExpired(urgency, now) && !selection.isAbsurd(urgency)) {
        if (this.config.archive === "auto") {
          this.clear(file, mail.env.id, mail.env, "expired", textOf("expired", mail.env.ttl));
        }
      } else if (selection.isReady(urgency, now)) {
        const { from } = mail.env;
        muted.set(from, muted.get(from) ?? mutedUntil(this.hive, from) !== undefined);
        if (muted.get(from) === false) {
          found.push({ file, mail, urgency, facts });
        }
      }
    }
    return found;
  }

  /**
   * The mail in a file and its past. Both are read anew only if the file changed: whoever claims or returns it changes
   * it.
   */
  private glance(file: string, name: string): { mail: Mail; facts: Facts; ctimeNs: bigint } | undefined {
    const stat = this.hive.files.stat(file);
    const key = stat && [stat.ino, stat.size, stat.nlink, stat.mtimeNs, stat.ctimeNs].join(" ");
    const known = this.glances.get(file);
    if (known !== undefined && known.key === key) {
      return known;
    }
    this.glances.delete(file);
    const sight = look(this.hive, this.domain, file);
    if (sight.kind === "bad") {
      this.clear(file, name.slice(0, -".md".length), undefined, "unreadable", sight.reason);
    }
    if (sight.kind !== "mail") {
      return undefined;
    }
    const { mail, ctimeNs } = sight;
    const hash = mail.env.hash.slice("sha256:".length);
    if ((stat?.nlink ?? 1n) > 1n && new Leftovers(this.hive).hasGoneOn(this.domain, mail.env.id, hash, file)) {
      // A name that a power cut brought back: the copy is claimed or over.
      return undefined;
    }
    const facts = this.hive.history.read(this.domain, mail.env.id);
    // Not while it has other names, which say something about it themselves.
    if (key !== undefined && stat?.nlink === 1n && this.glances.size < GLANCES_MAX) {
      this.glances.set(file, { key, mail, facts, ctimeNs });
    }
    return { mail, facts, ctimeNs };
  }

  private urgency(mail: Mail, facts: Facts, ctimeNs: bigint): Urgency {
    const ttl = BigInt(parseTtl(mail.env.ttl)) * SECOND;
    const { part, seconds } = this.config.halfLife;
    return {
      id: mail.env.id,
      priority: mail.env.priority,
      ts: parseInstant(mail.env.ts),
      firstSeen: facts.firstSeen ?? ctimeNs,
      ttl,
      halfLife: selection.halfLifeOf(ttl, part, seconds),
      failures: facts.attempts,
      notBefore: facts.notBefore,
    };
  }

  private clear(file: string, name: string, env: Envelope | undefined, why: Why, reason: string): void {
    if (this.chores++ >= CHORES_MAX) {
      return;
    }
    const { history, clock } = this.hive;
    // Names of junk may be anything; what is made of them stays one short name.
    const id = isId(name) ? name : name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "_";
    try {
      const step = ended(begun(this.hive.now()), why, reason);
      const state = stateOf(why);
      history.archived(this.domain, id, state, reason, clock());
      this.claims.archive(this.domain, id, file, state);
      this.claims.tell(this.domain, id, { step, env });
    } catch (e) {
      if (!hasCode(e, "ENOENT")) {
        throw e;
      }
    }
  }

  /** Renames the file into our hands; undefined if another was faster. */
  private claim({ file, mail, facts, urgency }: Waiting, leaseS: number): Claim | undefined {
    const { files, layout, self, clock, history } = this.hive;
    const claim: Claim = {
      id: mail.env.id,
      attempt: facts.attempts + 1,
      worker: self,
      claimedMs: clock(),
      leaseS,
      // Never "w", which is for holders of a kernel lock.
      tag: `c${randomTag(TAG_LENGTH)}`,
    };
    files.createFolder(layout.active(this.domain));
    this.glances.delete(file);
    try {
      files.rename(file, layout.claim(this.domain, tokenOf(claim)));
    } catch (e) {
      if (hasCode(e, "ENOENT")) {
        return undefined;
      }
      throw e;
    }
    try {
      // Asked again, now that nobody else can change it.
      const past = history.read(this.domain, claim.id);
      if (past.steps.length !== facts.steps.length) {
        // Another had it since we looked: its attempt, its class and its pause are not what we took them for.
        const pauseMs = Number(((past.notBefore ?? 0n) - this.hive.now()) / MILLI);
        this.giveBack(claim, "another had it in the meantime", Math.max(0, pauseMs));
        return undefined;
      }
      // Before anything can go wrong with it, so that mail that kills its readers is counted.
      if (facts.firstSeen === undefined) {
        history.firstSeen(this.domain, claim.id, urgency.firstSeen);
      }
      history.claimed(this.domain, claim);
      this.countPick();
    } catch (e) {
      // Work that is not counted is not begun: it could fail for ever, without a pause.
      this.giveBack(claim, "its history can't be written");
      throw e;
    }
    return claim;
  }

  /** Gives back what is not begun, without blame. */
  private giveBack(claim: Claim, why: string, pauseMs = 0): void {
    this.claims.giveBack(this.domain, claim, "released", why, this.config.attempts, pauseMs);
  }

  /** Who vouches for it, if it is to be worked on. Looks at the file once more, now that nobody else moves it. */
  private examined(claim: Claim, { mail, urgency }: Waiting): SignatureCheck | undefined {
    try {
      return this.decide(claim, mail, urgency);
    } catch (e) {
      try {
        const why = `it could not be looked at: ${(e as Error).message}`;
        this.giveBack(claim, why);
      } catch (alsoFailed) {
        // Then it comes back when its lease is over.
        this.hive.trouble(`claim ${tokenOf(claim)}`, alsoFailed);
      }
      throw e;
    }
  }

  private decide(claim: Claim, mail: Mail, urgency: Urgency): SignatureCheck | undefined {
    const { claims, domain, hive } = this;
    const sight = look(hive, domain, hive.layout.claim(domain, tokenOf(claim)));
    if (sight.kind === "gone") {
      return undefined;
    }
    if (sight.kind !== "mail") {
      return this.refuse(claim, "unreadable", sight.reason);
    }
    if (Buffer.compare(sight.mail.bytes, mail.bytes) !== 0) {
      return this.refuse(claim, "unreadable", "it was replaced while it was claimed");
    }
    // Who it is from and for comes before what it repeats: a forged copy must not get in the way of the real one.
    const signature = hive.trust().check(mail, hive.now(), this.config.signatures);
    const [objection] = objections(claim.id, mail, urgency.firstSeen, signature, domain, this.config);
    if (objection !== undefined) {
      return this.refuse(claim, objection.why, objection.text);
    }
    const rival = claims.marks.set(domain, claim);
    if (rival !== undefined) {
      return this.repeats(claim, held(claim, hive.now()), hive.compare(mail, rival) === "other" ? "other" : "same");
    }
    // Not before the work is marked as begun: whoever finishes from now on stops us here.
    const seen = hive.askSeen(domain, claim.id, mail.env.hash);
    if (seen !== "new") {
      claims.marks.remove(domain, claim.id, hive.layout.claim(domain, tokenOf(claim)));
      return this.repeats(claim, over("done"), seen);
    }
    return signature;
  }

  private refuse(claim: Claim, why: Why, reason: string): undefined {
    this.claims.reject(this.domain, claim, why, reason);
  }

  /** Ends a copy whose id another copy has, of which `known` is known. */
  private repeats(claim: Claim, known: Life, likeness: Likeness): undefined {
    const why = rules(known, likeness);
    if (why !== undefined) {
      this.claims.reject(this.domain, claim, why, textOf(why));
    }
  }

  private tell(claim: Claim, { mail, facts }: Waiting, why: string): void {
    const { hive, domain } = this;
    // Without a history nobody had a claim before.
    const isFirst = claim.attempt === 1 && facts.firstSeen === undefined;
    for (const { type, data, actor } of eventsOfClaim(mail.env, domain, claim, why, isFirst, hive.self)) {
      hive.tellOf(mail.env, type, data, actor);
    }
  }

  /** The number of the pick that comes now, from 1: all readers together make a file one byte longer with each. */
  private pickNumber(): number {
    return 1 + Number(this.hive.files.stat(join(this.hive.layout.state(this.domain), "picks"))?.size ?? 0n);
  }

  private countPick(): void {
    this.hive.files.appendBytes(join(this.hive.layout.state(this.domain), "picks"), Buffer.from("."));
  }

  private isDraining(): boolean {
    return this.hive.files.stat(join(this.hive.layout.state(this.domain), "backpressure")) !== undefined;
  }
}
