package dev.pheromone.cli;

import dev.pheromone.AwayException;
import dev.pheromone.Json;
import dev.pheromone.cli.args.UsageException;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/// The end of a command that did not do what was asked: why, and the way out where there is one.
final class CliException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private @Nullable String hint;
    private @Nullable String fix;
    private @Nullable Duration retryAfter;
    private boolean isState;
    private transient Json.Obj details = Json.obj();

    CliException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    CliException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    static CliException of(UsageException e) {
        CliException usage = new CliException(ErrorCode.USAGE, String.valueOf(e.getMessage()), e);
        usage.hint = e.hint();
        usage.fix = e.fix();
        return usage;
    }

    /// Adds what to know or do, in words.
    CliException hint(String words) {
        this.hint = words;
        return this;
    }

    /// Adds the command to type.
    CliException fix(String command) {
        this.fix = command;
        return this;
    }

    /// Says that the same command may succeed after `wait`.
    CliException retryAfter(Duration wait) {
        this.retryAfter = wait;
        return this;
    }

    /// Says that nothing went wrong: a person chose the state that the hive is in. Exit and code
    /// stay, and people are not told of an error.
    CliException asState() {
        this.isState = true;
        return this;
    }

    boolean isState() {
        return isState;
    }

    /// Adds a field beside `error`, for what a command did before it failed.
    CliException detail(String name, Json value) {
        details = details.put(name, value);
        return this;
    }

    /// What stands beside `error`.
    Json.Obj details() {
        return details;
    }

    ErrorCode code() {
        return code;
    }

    /// The hint as people see it: the words, then the command to type.
    @Nullable String hintLine() {
        if (hint == null) {
            return fix;
        }
        return fix == null ? hint : hint + "  " + fix;
    }

    /// The error answer of `--json`.
    Json.Obj json() {
        Json.Obj error =
                Json.obj()
                        .put("code", code.word())
                        .put("exit", code.exit().code())
                        .put("message", String.valueOf(getMessage()))
                        .put("hint", orNull(hint))
                        .put("fix", orNull(fix))
                        .put("retry", isWorthTrying())
                        .put(
                                "retry_after_s",
                                retryAfter == null
                                        ? Json.Null.NULL
                                        : Json.of(retryAfter.toSeconds()));
        return Json.obj().put("ok", false).put("error", error).putAll(details);
    }

    /// Whether the same command may succeed later, though nothing else is changed.
    private boolean isWorthTrying() {
        return retryAfter != null
                || code == ErrorCode.NOTHING
                || getCause() instanceof AwayException;
    }

    private static Json orNull(@Nullable String text) {
        return text == null ? Json.Null.NULL : Json.of(text);
    }
}
