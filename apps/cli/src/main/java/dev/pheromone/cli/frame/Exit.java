package dev.pheromone.cli.frame;

import java.util.Collection;

/// How a command ended, as the shell sees it: part of the interface that scripts and agents rely
/// on.
public enum Exit {
    DONE(0),
    /// Also: a service level missed, an audit finding.
    FAILED(1),
    USAGE(2),
    /// A lock withheld it; a sent envelope was kept in the embargo and is not to be sent again.
    WITHHELD(3),
    /// There was nothing to take, or the wait ran out.
    NOTHING(4),
    /// Same id with other content, a lost lease, a bad signature or hash.
    CONFLICT(5),
    NOT_FOUND(6),
    /// Not now: the same command may succeed later.
    REFUSED(75);

    private static final Exit[] WORST_FIRST = {FAILED, CONFLICT, NOT_FOUND, WITHHELD, REFUSED};

    private final int code;

    Exit(int code) {
        this.code = code;
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
