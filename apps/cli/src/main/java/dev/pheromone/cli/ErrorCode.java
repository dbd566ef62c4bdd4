package dev.pheromone.cli;

/// What kind of thing went wrong, in a word that programs can compare: the `code` of an error
/// answer.
///
/// Each code has one exit, so that the two never disagree.
enum ErrorCode {
    /// The command line can't be understood.
    USAGE("usage", Exit.USAGE),
    /// Something had to be asked, and nobody is at a terminal.
    NO_TERMINAL("no_terminal", Exit.USAGE),
    /// A file that the user named is missing, too large, not text, or not private enough.
    BAD_FILE("bad_file", Exit.USAGE),
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

    String word() {
        return word;
    }

    Exit exit() {
        return exit;
    }
}
