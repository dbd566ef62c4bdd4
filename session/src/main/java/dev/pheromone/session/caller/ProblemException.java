package dev.pheromone.session.caller;

import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// Something can't be done as it was asked: why, and the way out where there is one. Each door
/// turns it into its own kind of error.
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /// What kind of problem it is; doors have a word, an exit or a status for each.
    public enum Code {
        /// The request contradicts itself or the hive.
        USAGE,
        /// The deed is for people, and no person stands behind it.
        NOT_A_PERSON,
        /// A file of the user is missing, too large, malformed, or not private enough.
        BAD_FILE,
        /// An id that fits several envelopes.
        AMBIGUOUS_ID,
        /// There is no hive in that folder.
        NO_HIVE,
        NO_SUCH_INBOX,
        NO_SUCH_ID,
        NO_SUCH_KEY,
        NO_SUCH_LOCK,
        /// A lock forbids it.
        WITHHELD,
        /// Nothing is there to take.
        NOTHING,
        /// The same name with other content, or a state that does not allow it.
        CONFLICT,
        /// The claim is no longer, or never was, the caller's.
        CLAIM_LOST,
        /// An envelope that is malformed, or whose hash or signature is wrong.
        BAD_MAIL,
        /// Not now, or not any more: a limit is reached.
        REFUSED,
        /// A file of the hive's configuration is malformed.
        BAD_CONFIGURATION,
        /// Mail holds what must not become public.
        NOT_PUBLIC
    }

    /// What would help.
    public sealed interface Remedy {

        /// A command to type, word by word.
        record Command(List<String> words) implements Remedy {

            public Command {
                words = List.copyOf(words);
            }
        }

        /// The same request once more, with the option `name` added.
        ///
        /// @param value null for an option without one
        record With(String name, @Nullable String value) implements Remedy {}

        /// The same request once more, with `meant` in the place of `said`.
        record Instead(String said, String meant) implements Remedy {}

        /// The very same request, by somebody else.
        record Same() implements Remedy {}
    }

    private final Code code;
    private @Nullable String part;
    private @Nullable String hint;
    private transient @Nullable Remedy remedy;
    private transient Json.Obj details = Json.obj();

    public ProblemException(Code code, String message) {
        super(message);
        this.code = code;
    }

    public ProblemException(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /// Names the part of the request that is at fault, such as `key`.
    public ProblemException in(String option) {
        this.part = option;
        return this;
    }

    /// Adds what to know or do, in words.
    public ProblemException hint(String words) {
        this.hint = words;
        return this;
    }

    /// Adds the command to type, whose words have no blanks in them.
    public ProblemException fix(String command) {
        return remedy(new Remedy.Command(List.of(command.split(" ", -1))));
    }

    public ProblemException remedy(Remedy helps) {
        this.remedy = helps;
        return this;
    }

    /// Adds a field for programs.
    public ProblemException detail(String name, Json value) {
        details = details.put(name, value);
        return this;
    }

    public Code code() {
        return code;
    }

    /// The part of the request that is at fault, or null.
    public @Nullable String part() {
        return part;
    }

    public @Nullable String hint() {
        return hint;
    }

    public @Nullable Remedy remedy() {
        return remedy;
    }

    public Json.Obj details() {
        return details;
    }
}
