import { join } from "node:path";
import { hasCode } from "./guarded-files.js";
import type { Hive } from "./hive.js";
import { claimOfFile, randomTag, tokenOf, type Claim } from "./claim-token.js";

const TAG_LENGTH = 6;

/**
 * The marks of work in progress: one name for each envelope that somebody works on, a hard link to the claimed file, so
 * that another copy of the same id can't be worked on beside it.
 */
export class Marks {
  constructor(private readonly hive: Hive) {}

  /** The claims in an inbox, in force or overdue. */
  claims(domain: string): Claim[] {
    const { files, layout } = this.hive;
    return files.list(layout.active(domain)).flatMap((name) => claimOfFile(name) ?? []);
  }

  /**
   * Marks the claim's envelope as being worked on. Answers with the file of another claim of the same id that is, if
   * there is one; then this claim is void.
   */
  set(domain: string, claim: Claim): string | undefined {
    const { files, layout } = this.hive;
    const [own, running] = [layout.claim(domain, tokenOf(claim)), layout.running(domain, claim.id)];
    files.createFolder(join(layout.active(domain), ".running"));
    for (let tries = 0; ; tries++) {
      try {
        files.link(own, running);
        return undefined;
      } catch (e) {
        if (!hasCode(e, "EEXIST") || tries === 3) {
          throw e;
        }
      }
      const holder = this.holder(domain, running);
      if (holder !== undefined) {
        return holder === own ? undefined : holder;
      }
      this.removeStale(domain, running);
    }
  }

  /** The file of the claim that a mark belongs to, if there is one. */
  private holder(domain: string, mark: string): string | undefined {
    const claimed = this.claims(domain).map((claim) => this.hive.layout.claim(domain, tokenOf(claim)));
    return claimed.find((file) => this.hive.files.isSameFile(mark, file));
  }

  /** Removes a mark of no claim: set aside by a rename, which one process wins, for there are no locks here. */
  private removeStale(domain: string, mark: string): void {
    const { files, layout } = this.hive;
    const aside = join(layout.active(domain), ".running", `.${randomTag(TAG_LENGTH)}`);
    try {
      files.rename(mark, aside);
      if (this.holder(domain, aside) !== undefined) {
        // It became another's meanwhile.
        files.link(aside, mark);
      }
    } catch (e) {
      if (!hasCode(e, "ENOENT") && !hasCode(e, "EEXIST")) {
        throw e;
      }
    }
    files.remove(aside);
  }

  /** Removes the mark of work in progress, if it is on this very file. */
  remove(domain: string, id: string, file: string): void {
    const running = this.hive.layout.running(domain, id);
    if (this.hive.files.isSameFile(running, file)) {
      this.hive.files.remove(running);
    }
  }
}
