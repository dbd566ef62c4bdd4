import { join } from "node:path";
import type { Hive } from "./hive.js";
import { claimOfFile, tokenOf, type Claim } from "./claim-token.js";
import type { State } from "./layout.js";

const STATES: readonly State[] = ["done", "expired", "dead", "duplicate", "conflict"];

/**
 * Tells which name of a copy counts when a power cut has left it two. A file system may bring back the old name of a
 * file that was renamed shortly before (btrfs does), so that one file has names in two rooms of the hive. It is one
 * copy, and its later state counts: waiting, claimed, over. Every other name is a leftover: it is passed over here, and
 * removed by `rsm`.
 */
export class Leftovers {
  constructor(private readonly hive: Hive) {}

  /**
   * Whether the copy in `file`, which has a name in the inbox, is claimed or over under another name.
   * @param hash 64 digits
   */
  hasGoneOn(domain: string, id: string, hash: string, file: string): boolean {
    const { files, layout } = this.hive;
    return (
      this.claims(domain, id, file).some((claim) => !this.cameBack(domain, claim)) ||
      files.isSameFile(join(layout.seen(domain, id), `${id}.${hash}`), file) ||
      this.archived(domain, id, file).length > 0
    );
  }

  /** Whether the claim's name came back after the claim had ended. */
  isLeftover(domain: string, claim: Claim): boolean {
    const { files, layout } = this.hive;
    const file = layout.claim(domain, tokenOf(claim));
    const links = files.stat(file)?.nlink ?? 1n;
    const isMarked = files.isSameFile(layout.running(domain, claim.id), file);
    if (links - (isMarked ? 1n : 0n) < 2n) {
      return false;
    }
    const returning = ["", ".failed", ".released"].map((reason) => `${tokenOf(claim)}${reason}.md`);
    if (returning.some((name) => files.isSameFile(join(layout.returning(domain), name), file))) {
      return true;
    }
    const cameBack = this.cameBack(domain, claim);
    return (
      (cameBack && files.isSameFile(layout.mail(domain, claim.id), file)) ||
      this.claims(domain, claim.id, file).some((other) => this.isLater(domain, other, claim, cameBack)) ||
      this.archived(domain, claim.id, file).length > 0
    );
  }

  /** Of two claims on one file, the one that came back counts for less, then the older one. */
  private isLater(domain: string, other: Claim, claim: Claim, cameBack: boolean): boolean {
    if (tokenOf(other) === tokenOf(claim)) {
      return false;
    }
    if (cameBack !== this.cameBack(domain, other)) {
      return cameBack;
    }
    return claim.claimedMs === other.claimedMs ? claim.tag < other.tag : claim.claimedMs < other.claimedMs;
  }

  /** How many names in the inbox and among the claims the file has besides `file`. */
  ownNames(domain: string, id: string, file: string): string[] {
    const { files, layout } = this.hive;
    const claimed = this.claims(domain, id, file).map((claim) => layout.claim(domain, tokenOf(claim)));
    return [...claimed, layout.mail(domain, id)].filter((name) => name !== file && files.isSameFile(name, file));
  }

  /** The names of the file in the archive. */
  archived(domain: string, id: string, file: string): string[] {
    const { files, layout } = this.hive;
    return STATES.flatMap((state) => {
      const folder = join(layout.archives(domain), state);
      return files
        .list(folder)
        .flatMap((day) => files.list(join(folder, day)).map((name) => ({ name, path: join(folder, day, name) })))
        .filter(({ name, path }) => name.startsWith(`${id}.`) && files.isSameFile(path, file))
        .map(({ path }) => path);
    });
  }

  /** The claims of this id whose file is this one. */
  private claims(domain: string, id: string, file: string): Claim[] {
    const { files, layout } = this.hive;
    return files
      .list(layout.active(domain))
      .filter((name) => name.startsWith(`${id}.`))
      .flatMap((name) => claimOfFile(name) ?? [])
      .filter((claim) => files.isSameFile(layout.claim(domain, tokenOf(claim)), file));
  }

  /** Whether it was told that the claim came back, which is told only after the claim's name has gone. */
  private cameBack(domain: string, claim: Claim): boolean {
    const { steps } = this.hive.history.read(domain, claim.id);
    return steps.some((step) => step.what === "return" && step.claim === tokenOf(claim));
  }
}
