import { join } from "node:path";
import { leaseEndsAt, randomTag, tokenOf, type Claim } from "./claim-token.js";
import { ENVELOPE_BYTES_MAX } from "./envelope-text.js";
import type { Envelope } from "./envelope.js";
import { Withheld } from "./guard.js";
import { hasCode } from "./guarded-files.js";
import type { Outcome } from "./mirror.js";
import { sha256 } from "./hash.js";
import type { Hive } from "./hive.js";
import { newId } from "./id.js";
import type { State } from "./layout.js";
import { Leftovers } from "./leftovers.js";
import { begun, closed, ended, held, lifeLimits, rules, textOf } from "./life.js";
import type { Reason, Step, Why } from "./life.js";
import { Mail } from "./mail.js";
import { eventsOf } from "./mail-events.js";
import { Marks } from "./marks.js";
import { parseInstant } from "./time.js";

/** How a claim ended, or that it came back. */
export interface Ending {
  readonly step: Step;
  /** The header, unless the disk has spoilt the file since it was claimed. */
  readonly env?: Envelope;
  /** Who had ended it, where that was before. */
  readonly by?: string;
  readonly isUnconfirmed?: boolean;
}

const TAG_LENGTH = 6;

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
    const life = held(claim, this.hive.now());
    const step = closed(life, "done", note, 0, content.env, this.hive.now(), lifeLimits());
    return this.hive.files.holding(file, (force) => this.commit(domain, claim, file, content, step, force));
  }

  /**
   * Ends a claim as `step` says, for good. With `force`, the file is forced once, with the seen-set's link; the move to
   * the archive is not. If a power cut undoes that, the file is where it was, and known as finished.
   */
  private commit(
    domain: string,
    claim: Claim,
    file: string,
    content: Content,
    step: Step,
    force?: () => void,
  ): Ending | undefined {
    const { files, layout } = this.hive;
    const { env } = content;
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
        return { step: this.endRepeated(domain, claim, file, "same-finished"), env };
      }
    }
    let isUnconfirmed = false;
    try {
      if (force === undefined) {
        files.sync(folder);
      } else {
        force();
        files.syncNamesOfForced(folder);
      }
    } catch (e) {
      // The link is there, so that it is finished; a power cut may undo it.
      isUnconfirmed = true;
      this.hive.trouble(`seen-set of ${domain}`, e);
    }
    try {
      this.putAway(domain, claim, file, step.life.state as State, force === undefined ? "forced" : "with its file");
    } catch (e) {
      // It is finished; only its file is still where it was, and whoever comes by moves it.
      this.hive.trouble(`archive of ${claim.id}`, e);
    }
    return { step, env, isUnconfirmed };
  }

  /** Ends a claim that only repeats another copy, or stands against one. */
  private endRepeated(domain: string, claim: Claim, file: string, why: Repetition): Step {
    const step = ended(held(claim, this.hive.now()), why, textOf(why));
    const state = step.life.state as State;
    this.hive.history.outcome(domain, claim, state, step.life.note, this.hive.clock());
    this.putAway(domain, claim, file, state);
    return step;
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
  reject(domain: string, claim: Claim, why: Why, reason: string): void {
    const file = this.hive.layout.claim(domain, tokenOf(claim));
    const env = this.contentOf(file)?.env;
    const step = ended(held(claim, this.hive.now()), why, reason);
    const state = step.life.state as State;
    this.hive.history.outcome(domain, claim, state, reason, this.hive.clock());
    this.archive(domain, claim.id, file, state);
    this.tell(domain, claim.id, { step, env });
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
    const now = this.hive.now();
    if (this.hive.askSeen(domain, claim.id, `sha256:${content.hash}`) === "same") {
      return this.completeFinish(domain, claim, file, content);
    }
    const sent = env === undefined ? now : parseInstant(env.ts);
    const life = held(claim, history.read(domain, claim.id).firstSeen ?? sent);
    const step = closed(life, reason, note, releasedPauseMs, env, now, lifeLimits(attemptsMax));
    const { state } = step.life;
    if (state === "dead" || state === "expired") {
      history.outcome(domain, claim, state, step.life.note, clock());
      if (state === "dead") {
        return this.commit(domain, claim, file, content, step);
      }
      this.putAway(domain, claim, file, state);
      return { step, env };
    }
    try {
      // Before the mail is back, so that nobody takes it during its pause.
      history.returned(domain, claim, reason, note, step.pauseMs, clock());
    } catch (e) {
      if (e instanceof Withheld) {
        throw e;
      }
      // Without its history it comes back too early; without its file it would not come back.
      this.hive.trouble(`history of ${claim.id}`, e);
    }
    const why = this.backToInbox(domain, claim, file);
    if (why === undefined) {
      return { step, env };
    }
    const repeated = ended(life, why, textOf(why));
    this.putAway(domain, claim, file, repeated.life.state as State);
    return { step: repeated, env };
  }

  /** The rest of an ending whose holder died after it was committed. */
  private completeFinish(domain: string, claim: Claim, file: string, { env, hash }: Content): Ending {
    const { files, layout, history } = this.hive;
    if (!files.isSameFile(join(layout.seen(domain, claim.id), `${claim.id}.${hash}`), file)) {
      return { step: this.endRepeated(domain, claim, file, "same-finished"), env };
    }
    const last = history.read(domain, claim.id).steps.findLast((step) => step.claim === tokenOf(claim));
    // Silence means done: only the others are always told first.
    const state = last?.status === "dead" ? "dead" : "done";
    const by = typeof last?.by === "string" ? last.by : claim.worker;
    const note = typeof last?.note === "string" ? last.note : "";
    this.putAway(domain, claim, file, state);
    const life = held(claim, this.hive.now());
    const step =
      state === "dead"
        ? ended(life, "attempts", note)
        : closed(life, "done", note, 0, env, this.hive.now(), lifeLimits());
    return { step, env, by };
  }

  /** Gives the copy its name in the inbox again; the reason, if another copy has that name and lives on. */
  private backToInbox(domain: string, claim: Claim, file: string): Repetition | undefined {
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
        const bytes = files.read(file, ENVELOPE_BYTES_MAX);
        const isSame = bytes !== undefined && this.hive.compare(Mail.parse(bytes), mail) !== "other";
        return rules(begun(this.hive.now()), isSame ? "same" : "other");
      }
    }
    files.sync(layout.inbox(domain));
    files.remove(file);
    return undefined;
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
          this.tell(domain, claim.id, this.giveBack(domain, claim, "lease", "", attemptsMax));
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
      return now >= leaseEndsAt(claim, touched, Number(stat.ctimeMs), now);
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

  /** Tells of a step in the life of a copy. */
  tell(domain: string, id: string, ending: Ending | undefined): void {
    if (ending === undefined) {
      return;
    }
    const { step, env, by } = ending;
    for (const { type, data, actor } of eventsOf(step, { inbox: domain, id, env }, by)) {
      // That it is done the archive proves.
      this.hive.tellOf(env, type, data, actor, step.life.state === "done" ? "proven" : undefined);
    }
  }

  /** Archives a torn file of the inbox under no id, with the reason, so that the whole envelope gets its name. */
  buryTorn(domain: string, id: string): void {
    const { files, layout, history, clock, self } = this.hive;
    const file = layout.mail(domain, id);
    if (this.hive.torn(file) === undefined) {
      return;
    }
    files.require(layout.archive(domain, "dead", clock()), "write");
    const tag = `c${randomTag(TAG_LENGTH)}`;
    const claim: Claim = { id: newId(clock()), attempt: 0, worker: self, claimedMs: clock(), leaseS: 0, tag };
    // Should we be killed, it is found there by whoever completes what is on its way back.
    const aside = join(layout.returning(domain), `${tokenOf(claim)}.released.md`);
    files.createFolder(layout.returning(domain));
    try {
      files.rename(file, aside);
      const torn = this.hive.torn(aside);
      if (torn === undefined) {
        // Another sender was faster: its mail goes back to where it was.
        files.link(aside, file);
        files.force(file);
        files.remove(aside);
        return;
      }
      const name = this.archive(domain, "unnamed", aside, "dead");
      const reason = `${torn}; it was ${layout.nameOf(file)}`;
      history.archived(domain, name, "dead", reason, clock());
      this.tell(domain, name, { step: ended(begun(this.hive.now()), "unreadable", reason) });
    } catch (e) {
      // Somebody else cleared it away.
      if (!hasCode(e, "ENOENT")) {
        throw e;
      }
    }
  }

  /** Moves a file to the archive, under a name made for it alone, and says which; nothing is ever deleted. */
  archive(
    domain: string,
    name: string,
    file: string,
    state: State,
    move: "forced" | "with its file" = "forced",
  ): string {
    const { files, layout, clock } = this.hive;
    const folder = layout.archive(domain, state, clock());
    const stored = `${name}.${clock()}.${randomTag(TAG_LENGTH)}`;
    files.createFolder(folder);
    files.rename(file, join(folder, `${stored}.md`));
    if (move === "forced") {
      files.sync(folder);
    } else {
      files.syncNamesOfForced(folder);
    }
    return stored;
  }

  /** The mark goes first: while the claim is still here nobody takes the mark for a stale one. */
  private putAway(
    domain: string,
    claim: Claim,
    file: string,
    state: State,
    move: "forced" | "with its file" = "forced",
  ): void {
    this.marks.remove(domain, claim.id, file);
    this.archive(domain, claim.id, file, state, move);
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

/** Why a copy that repeats another, or stands against one, comes to nothing. */
type Repetition = NonNullable<ReturnType<typeof rules>>;

interface Content {
  readonly env?: Envelope;
  /** 64 digits. */
  readonly hash: string;
}
