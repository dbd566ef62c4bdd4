package dev.pheromone.cli.frame;

import dev.pheromone.session.caller.ProblemException;

/// What kind of thing went wrong, in a word that programs can compare: the `code` of an error
/// answer.
///
/// Each code has one exit, so that the two never disagree.
public enum ErrorCode {
    /// The command line can't be understood.
    USAGE("usage", Exit.USAGE),
    /// Something had to be asked, and nobody is at a terminal.
    NO_TERMINAL("no_terminal", Exit.USAGE),
    /// It is for people, and no person stands behind it.
    NOT_A_PERSON("not_a_person", Exit.USAGE),
    /// A tool call that a hook does not let go on.
    BLOCKED("blocked", Exit.USAGE),
    /// A file that the user named is missing, too large, not text, or not private enough.
    BAD_FILE("bad_file", Exit.USAGE),
    /// An id that fits several envelopes.
    AMBIGUOUS_ID("ambiguous_id", Exit.USAGE),
    /// There is no hive here.
    NO_HIVE("no_hive", Exit.NOT_FOUND),
    NO_SUCH_INBOX("no_such_inbox", Exit.NOT_FOUND),
    NO_SUCH_ID("no_such_id", Exit.NOT_FOUND),
    NO_SUCH_FILE("no_such_file", Exit.NOT_FOUND),
    NO_SUCH_KEY("no_such_key", Exit.NOT_FOUND),
    NO_SUCH_LOCK("no_such_lock", Exit.NOT_FOUND),
    /// A lock forbids it.
    WITHHELD("withheld", Exit.WITHHELD),
    /// Nothing was there to take, or the wait ran out.
    NOTHING("nothing", Exit.NOTHING),
    /// The same id with other content, or a state that does not allow it.
    CONFLICT("conflict", Exit.CONFLICT),
    /// The claim is no longer, or never was, the caller's.
    CLAIM_LOST("claim_lost", Exit.CONFLICT),
    /// An envelope that is malformed, or whose hash or signature is wrong.
    BAD_MAIL("bad_mail", Exit.CONFLICT),
    /// The inbox is full or the sender too fast.
    REFUSED("refused", Exit.REFUSED),
    /// The command that worked on an envelope failed.
    WORK_FAILED("work_failed", Exit.FAILED),
    /// A lock is set, and somebody still works past it.
    NOT_QUIET("not_quiet", Exit.FAILED),
    /// The hook of an agent program is not there as it should be.
    NOT_INSTALLED("not_installed", Exit.FAILED),
    /// What was recorded is not what is there.
    VIOLATION("violation", Exit.FAILED),
    /// A promise of the hive was not kept.
    SLO_MISSED("slo_missed", Exit.FAILED),
    /// A hive would not work there.
    UNFIT_PLACE("unfit_place", Exit.FAILED),
    /// Something is wrong with the hive.
    UNHEALTHY("unhealthy", Exit.FAILED),
    /// A file of the hive's configuration is malformed.
    BAD_CONFIGURATION("bad_configuration", Exit.FAILED),
    /// It holds what must not become public.
    NOT_PUBLIC("not_public", Exit.FAILED),
    /// Some mail could not be released from the embargo, and stays there.
    UNDELIVERED("undelivered", Exit.FAILED),
    /// Reading or writing failed.
    IO("io", Exit.FAILED),
    /// A defect of this program.
    INTERNAL("internal", Exit.FAILED);

    private final String word;
    private final Exit exit;

    ErrorCode(String word, Exit exit) {
        this.word = word;
        this.exit = exit;
    }

    /// The code of a problem that a session had.
    static ErrorCode of(ProblemException.Code code) {
        return switch (code) {
            case USAGE -> USAGE;
            case NOT_A_PERSON -> NOT_A_PERSON;
            case BAD_FILE -> BAD_FILE;
            case AMBIGUOUS_ID -> AMBIGUOUS_ID;
            case NO_HIVE -> NO_HIVE;
            case NO_SUCH_INBOX -> NO_SUCH_INBOX;
            case NO_SUCH_ID -> NO_SUCH_ID;
            case NO_SUCH_KEY -> NO_SUCH_KEY;
            case NO_SUCH_LOCK -> NO_SUCH_LOCK;
            case WITHHELD -> WITHHELD;
            case NOTHING -> NOTHING;
            case CONFLICT -> CONFLICT;
            case CLAIM_LOST -> CLAIM_LOST;
            case BAD_MAIL -> BAD_MAIL;
            case REFUSED -> REFUSED;
            case BAD_CONFIGURATION -> BAD_CONFIGURATION;
            case NOT_PUBLIC -> NOT_PUBLIC;
        };
    }

    /// As answers say it.
    public String word() {
        return word;
    }

    public Exit exit() {
        return exit;
    }
}
