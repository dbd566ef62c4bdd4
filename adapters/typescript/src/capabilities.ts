/** What this adapter promises, and what it can't: Node has no file locks. */
export const capabilities = {
  /** Claims live by their lease alone; no kernel lock returns them when the process dies. */
  attendedClaims: false,
  /**
   * It does not pass the gate that `rsm lock` waits at: an operation that has begun when a lock appears may still end.
   * The guard is asked immediately before each operation, so that it is one at most.
   */
  lockWindow: "one operation",
  /** An outside guard (`.deia/tools/policy_guard.*`) is not run: a hive that has one is locked. */
  outsideGuard: false,
  /** Overrides are not read: what is locked stays locked. */
  overrides: false,
  /** That a file is a second name of a locked one is not found out. */
  hardLinks: false,
  /** Locks are not followed through bind mounts. */
  bindMounts: false,
  /** Half-done returns of dead processes, missing events and what waits in the mirror are left to `rsm`. */
  recovery: false,
  /** Marks of backpressure and mutes are honoured, but set and lifted by others. */
  backpressure: "honoured",
  /** Public mail is refused: what looks through it is `rsm`, or a server. */
  publicMail: false,
  /** A send survives a power cut once it is confirmed. */
  durableSend: true,
} as const;
