package dev.pheromone.cli.frame;

import java.util.Collection;

/// How a command ended, as the shell sees it: part of the interface that scripts and agents rely
/// on.
public enum Exit {
    DONE(0, "done"),
    /// Also: a service level missed, an audit finding.
    FAILED(1, "failed; also a service level missed, or a finding"),
    USAGE(2, "wrong usage; for rsm hook: blocked"),
    /// A lock withheld it; a sent envelope was kept in the embargo and is not to be sent again.
    WITHHELD(3, "withheld by a lock; what was sent is kept, do not send it again"),
    /// There was nothing to take, or the wait ran out.
    NOTHING(4, "nothing to take, or the wait ran out"),
    /// Same id with other content, a lost lease, a bad signature or hash.
    CONFLICT(5, "conflict: same id with other content, claim lost, bad signature or hash"),
    NOT_FOUND(6, "no such id, inbox or hive"),
    /// Not now: the same command may succeed later.
    REFUSED(75, "refused for now: try again after retry_after_s");

    private static final Exit[] WORST_FIRST = {FAILED, CONFLICT, NOT_FOUND, WITHHELD, REFUSED};

    private final int code;
    private final String meaning;

    Exit(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    /// What it says to whoever reads the code, in a few words.
    public String meaning() {
        return meaning;
    }

    public int code() {
        return code;
    }

    /// The exit of one command with several outcomes, such as a send to several recipients.
    public static Exit ofSeveral(Collection<Exit> outcomes) {
        for (Exit exit : WORST_FIRST) {
            if (outcomes.contains(exit)) {
                return exit;
            }
        }
        return DONE;
    }
}
