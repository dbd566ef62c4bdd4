import { join } from "node:path";
import { ENVELOPE_BYTES_MAX } from "./envelope-text.js";
import type { Envelope } from "./envelope.js";
import { parseTtl } from "./duration.js";
import { Withheld } from "./guard.js";
import { hasCode } from "./guarded-files.js";
import type { Outcome } from "./mirror.js";
import { sha256 } from "./hash.js";
import type { Hive } from "./hive.js";
import { randomTag, tokenOf, type Claim, type Reason } from "./history.js";
import type { State } from "./layout.js";
import { Leftovers } from "./leftovers.js";
import { Mail } from "./mail.js";
import { Marks } from "./marks.js";
import { expiresAt } from "./selection.js";
import { parseInstant, SECOND } from "./time.js";

/** How a claim ended, or that it came back. */
export interface Ending {
  readonly state: State | "waiting";
  readonly note: string;
  /** The header, unless the disk has spoilt the file since it was claimed. */
  readonly env?: Envelope;
  readonly pauseMs: number;
  /** Who had ended it, where that was before. */
  readonly by?: string;
  readonly isUnconfirmed?: boolean;
}

const TAG_LENGTH = 6;
const PAUSE_BASE_MS = 5_000;
const PAUSE_MS_MAX = 600_000;
const FINISHED_BEFORE = "finished before";

/**
 * The envelopes that somebody works on, and the two ways out of that: finished, or back to the inbox. Each way has one
 * step that only one process can win, and every step can be repeated by whoever finds it half done.
 */
export class Claims {
  /** The marks of work in progress. */
  readonly marks: Marks;
  private readonly leftovers: Leftovers;

  constructor(private readonly hive: Hive) {
    this.marks = new Marks(hive);
    this.leftovers = new Leftovers(hive);
  }

  /**
   * Ends a claim as done. The moment of truth is the seen-set's link: before it nothing has happened, after it the claim
   * has ended whatever else fails. Undefined if the claim is not in force any more.
   */
  finish(domain: string, claim: Claim, note: string): Ending | undefined {
    if (this.leftovers.isLeftover(domain, claim)) {
      return undefined;
    }
    const file = this.hive.layout.claim(domain, tokenOf(claim));
    const content = this.contentOf(file);
    if (content === undefined) {
      return undefined;
    }
    try {
      this.hive.history.outcome(domain, claim, "done", note, this.hive.clock());
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      // Work that was done is done all the same: silence is taken for that.
      this.hive.trouble(`history of ${claim.id}`, e);
    }
    return this.commit(domain, claim, file, content, "done", note);
  }

  private commit(
    domain: string,
    claim: Claim,
    file: string,
    content: Content,
    state: State,
    note: string,
  ): Ending | undefined {
    const { files, layout, history, clock } = this.hive;
    const folder = layout.seen(domain, claim.id);
    const own = join(folder, `${claim.id}.${content.hash}`);
    files.createFolder(folder);
    try {
      files.link(file, own);
    } catch (e) {
      if (hasCode(e, "ENOENT")) {
        return undefined;
      }
      if (!hasCode(e, "EEXIST")) {
        throw e;
      }
      if (!files.isSameFile(own, file)) {
        // Another copy was finished first.
        history.outcome(domain, claim, "duplicate", FINISHED_BEFORE, clock());
        this.putAway(domain, claim, file, "duplicate");
        return { state: "duplicate", note: FINISHED_BEFORE, env: content.env, pauseMs: 0 };
      }
    }
    let isUnconfirmed = false;
    try {
      files.sync(folder);
    } catch (e) {
      // The link is there, so that it is finished; a power cut may undo it.
      isUnconfirmed = true;
      this.hive.trouble(`seen-set of ${domain}`, e);
    }
    try {
      this.putAway(domain, claim, file, state);
    } catch (e) {
      // It is finished; only its file is still where it was, and whoever comes by moves it.
      this.hive.trouble(`archive of ${claim.id}`, e);
    }
    return { state, note, env: content.env, pauseMs: 0, isUnconfirmed };
  }

  /**
   * The state to which this very outcome has brought a claim already, if its holder has told it before and only asks once
   * more; undefined if the claim ended otherwise.
   */
  toldBefore(domain: string, claim: Claim, outcome: Outcome): State | "waiting" | undefined {
    const { files, layout, history } = this.hive;
    const reason = outcome === "error" ? "failed" : "released";
    // Looked for first: what is told of a return is told before it is over.
    const back = join(layout.returning(domain), `${tokenOf(claim)}.${reason}.md`);
    if (outcome !== "done" && files.stat(back) !== undefined) {
      return "waiting";
    }
    const last = history.read(domain, claim.id).steps.findLast((step) => step.claim === tokenOf(claim));
    if (outcome === "done") {
      const seen = files.list(layout.seen(domain, claim.id));
      return last?.status === "done" && seen.some((name) => name.startsWith(`${claim.id}.`)) ? "done" : undefined;
    }
    if (last?.reason === reason) {
      return "waiting";
    }
    // Whoever finds that a lease is over may end a claim for good too, in their own name.
    if (last?.by !== this.hive.self) {
      return undefined;
    }
    return last.status === "expired" || (last.status === "dead" && outcome === "error") ? last.status : undefined;
  }

  /** Archives the file of a claim on which no work has begun, without a trace in the seen-set. */
  reject(domain: string, claim: Claim, state: State, reason: string): void {
    const file = this.hive.layout.claim(domain, tokenOf(claim));
    const env = this.contentOf(file)?.env;
    this.hive.history.outcome(domain, claim, state, reason, this.hive.clock());
    this.archive(domain, claim.id, file, state);
    this.tellEnd(domain, claim.id, env, state, reason);
  }

  /**
   * Takes a claim from whoever holds it and puts its envelope back into the inbox, or into the archive if it was
   * finished, is expired or had its last attempt. What is released is ready after `pauseMs`. Undefined if the claim is
   * not in force any more.
   */
  giveBack(
    domain: string,
    claim: Claim,
    reason: Reason,
    note: string,
    attemptsMax: number,
    pauseMs = 0,
  ): Ending | undefined {
    if (this.leftovers.isLeftover(domain, claim)) {
      return undefined;
    }
    const { files, layout } = this.hive;
    const token = tokenOf(claim);
    const back = join(layout.returning(domain), `${token}${reason === "lease" ? "" : `.${reason}`}.md`);
    files.createFolder(layout.returning(domain));
    try {
      // One winner; from here on the holder can't finish it.
      files.rename(layout.claim(domain, token), back);
    } catch (e) {
      if (hasCode(e, "ENOENT")) {
        return undefined;
      }
      throw e;
    }
    const content = this.contentOf(back);
    return content && this.completeReturn(domain, claim, back, content, reason, note, attemptsMax, pauseMs);
  }

  private completeReturn(
    domain: string,
    claim: Claim,
    file: string,
    content: Content,
    reason: Reason,
    note: string,
    attemptsMax: number,
    releasedPauseMs: number,
  ): Ending | undefined {
    const { history, clock } = this.hive;
    const { env } = content;
    if (this.hive.askSeen(domain, claim.id, `sha256:${content.hash}`) === "same") {
      return this.completeFinish(domain, claim, file, content);
    }
    const counts = reason !== "released";
    if (counts && claim.attempt >= attemptsMax) {
      const why = `attempt ${claim.attempt} of ${attemptsMax} failed${note && `: ${note}`}`;
      history.outcome(domain, claim, "dead", why, clock());
      return this.commit(domain, claim, file, content, "dead", why);
    }
    if (env !== undefined && this.isExpired(domain, env)) {
      history.outcome(domain, claim, "expired", note, clock());
      this.putAway(domain, claim, file, "expired");
      return { state: "expired", note, env, pauseMs: 0 };
    }
    const pauseMs = counts ? Math.min(PAUSE_BASE_MS * 2 ** Math.min(claim.attempt, 20), PAUSE_MS_MAX) : releasedPauseMs;
    try {
      // Before the mail is back, so that nobody takes it during its pause.
      history.returned(domain, claim, reason, note, pauseMs, clock());
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      // Without its history it comes back too early; without its file it would not come back.
      this.hive.trouble(`history of ${claim.id}`, e);
    }
    return { state: this.backToInbox(domain, claim, file), note, env, pauseMs };
  }

  /** The rest of an ending whose holder died after it was committed. */
  private completeFinish(domain: string, claim: Claim, file: string, { env, hash }: Content): Ending {
    const { files, layout, history } = this.hive;
    let [state, by, note]: [State, string | undefined, string] = ["duplicate", undefined, FINISHED_BEFORE];
    if (files.isSameFile(join(layout.seen(domain, claim.id), `${claim.id}.${hash}`), file)) {
      const last = history.read(domain, claim.id).steps.findLast((step) => step.claim === tokenOf(claim));
      // Silence means done: only the others are always told first.
      state = last?.status === "dead" ? "dead" : "done";
      by = typeof last?.by === "string" ? last.by : claim.worker;
      note = typeof last?.note === "string" ? last.note : "";
    }
    this.putAway(domain, claim, file, state);
    return { state, note, env, pauseMs: 0, by };
  }

  private backToInbox(domain: string, claim: Claim, file: string): State | "waiting" {
    const { files, layout } = this.hive;
    const mail = layout.mail(domain, claim.id);
    // Before it is back: from then on the mark may be the next holder's.
    this.marks.remove(domain, claim.id, file);
    try {
      files.link(file, mail);
    } catch (e) {
      if (!hasCode(e, "EEXIST")) {
        throw e;
      }
      if (!files.isSameFile(file, mail)) {
        // It was sent again while it was away: the copy in the inbox lives on.
        const bytes = files.read(file, ENVELOPE_BYTES_MAX);
        const isSame = bytes !== undefined && this.hive.compare(Mail.parse(bytes), mail) !== "other";
        const state = isSame ? "duplicate" : "conflict";
        this.putAway(domain, claim, file, state);
        return state;
      }
    }
    files.sync(layout.inbox(domain));
    files.remove(file);
    return "waiting";
  }

  /**
   * Takes back what others lost: claims whose lease is over. A lease never ends under a lock, and begins anew after it.
   */
  reap(domain: string, attemptsMax: number): void {
    const { files, layout } = this.hive;
    const kept = new Set(
      files.list(layout.outcomes()).flatMap((folder) => files.list(join(layout.outcomes(), folder))),
    );
    for (const claim of this.marks.claims(domain)) {
      try {
        if (!kept.has(tokenOf(claim)) && this.isOver(domain, claim)) {
          this.tellReturn(domain, claim, "lease", this.giveBack(domain, claim, "lease", "", attemptsMax));
        }
      } catch (e) {
        if (e instanceof Withheld) {
          throw e;
        }
        // One that can't be taken back must not keep the others.
        this.hive.trouble(`claim ${tokenOf(claim)}`, e);
      }
    }
  }

  private isOver(domain: string, claim: Claim): boolean {
    const { files, layout } = this.hive;
    const stat = files.stat(layout.claim(domain, tokenOf(claim)));
    if (stat === undefined) {
      return false;
    }
    // The clock is read after each look: a sign of life that was found must not be ahead of it.
    const isOverAfter = (touched: number): boolean => {
      const now = this.hive.clock();
      const changed = Number(stat.ctimeMs);
      // A claim from the future, by a clock that was ahead, counts from when the kernel saw the file change.
      const begun = claim.claimedMs > now && changed <= now ? changed : claim.claimedMs;
      const counts = touched > begun && touched <= now;
      return now >= (counts ? touched : begun) + claim.leaseS * 1000;
    };
    if (!isOverAfter(Number(stat.mtimeMs))) {
      return false;
    }
    // When a name last came or went where locks lie: after that no lock was lifted.
    const folders = [
      layout.hive,
      ...["do-not-read", "do-not-alter", "do-not-erase"].map((name) => join(layout.hive, name)),
    ];
    const lifted = folders.map((folder) => Number(files.stat(folder)?.mtimeMs ?? 0n));
    return isOverAfter(Math.max(...lifted, Number(stat.mtimeMs)));
  }

  /** The events of a claim that came back, or ended while it did. */
  tellReturn(domain: string, claim: Claim, reason: Reason, ending: Ending | undefined): void {
    if (ending === undefined) {
      return;
    }
    const { env, state, note } = ending;
    const about = { inbox: domain, attempt: claim.attempt };
    if (reason === "failed") {
      this.hive.tellOf(env, "worker_ack", { ref: claim.id, status: "error", ...(note && { notes: note }), ...about });
    }
    if (state === "done") {
      this.hive.tellOf(
        env,
        "worker_ack",
        { ref: claim.id, status: "done", ...(note && { notes: note }), ...about },
        ending.by,
      );
      return;
    }
    if (state !== "waiting") {
      this.tellEnd(domain, claim.id, env, state, note);
      return;
    }
    this.hive.tellOf(env, "rsm_envelope_return", { id: claim.id, ...about, reason });
    if (reason !== "released" && env !== undefined) {
      this.hive.tellOf(env, "pheromone_drop", {
        topic: env.topic,
        priority: `P${Math.min(3, Number(env.priority[1]) + claim.attempt)}`,
        ref: env.id,
        ttl: env.ttl,
        attempt: claim.attempt,
        retry_in_s: ending.pauseMs / 1000,
        ...(note && { context: note }),
      });
    }
  }

  /** The event of a copy whose life is over without being done. */
  tellEnd(domain: string, id: string, env: Envelope | undefined, state: State, reason: string): void {
    const about = { id, inbox: domain };
    switch (state) {
      case "expired":
        return this.hive.tellOf(env, "pheromone_expire", about);
      case "duplicate":
        return this.hive.tellOf(env, "rsm_envelope_duplicate", about);
      case "conflict":
        return this.hive.tellOf(env, "rsm_envelope_conflict", { ...about, reason });
      case "dead":
      case "done":
        return this.hive.tellOf(env, "rsm_envelope_dead", { ...about, reason });
    }
  }

  /** Moves a file to the archive, under a name made for it alone; nothing is ever deleted. */
  archive(domain: string, name: string, file: string, state: State): void {
    const { files, layout, clock } = this.hive;
    const folder = layout.archive(domain, state, clock());
    files.createFolder(folder);
    files.rename(file, join(folder, `${name}.${clock()}.${randomTag(TAG_LENGTH)}.md`));
    files.sync(folder);
  }

  /** The mark goes first: while the claim is still here nobody takes the mark for a stale one. */
  private putAway(domain: string, claim: Claim, file: string, state: State): void {
    this.marks.remove(domain, claim.id, file);
    this.archive(domain, claim.id, file, state);
  }

  private isExpired(domain: string, env: Envelope): boolean {
    const ts = parseInstant(env.ts);
    const firstSeen = this.hive.history.read(domain, env.id).firstSeen ?? ts;
    return this.hive.now() >= expiresAt({ ts, firstSeen, ttl: BigInt(parseTtl(env.ttl)) * SECOND });
  }

  /**
   * What a claimed file says; undefined if it is gone. If the disk has spoilt it, it must still be possible to be rid
   * of it.
   */
  private contentOf(file: string): Content | undefined {
    const bytes = this.hive.files.read(file, ENVELOPE_BYTES_MAX);
    if (bytes === undefined) {
      return undefined;
    }
    try {
      const { env } = Mail.parse(bytes);
      return { env, hash: env.hash.slice("sha256:".length) };
    } catch {
      return { hash: sha256(bytes) };
    }
  }
}

interface Content {
  readonly env?: Envelope;
  /** 64 digits. */
  readonly hash: string;
}
