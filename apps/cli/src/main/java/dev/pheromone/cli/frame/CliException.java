package dev.pheromone.cli.frame;

import dev.pheromone.AwayException;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.args.UsageException;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Remedy;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/// The end of a command that did not do what was asked: why, and the way out where there is one.
public final class CliException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final Set<String> HIVE_FOLDERS = Set.of(".deia", ".embargo");

    private final ErrorCode code;
    private @Nullable String hint;
    private @Nullable String fix;
    private @Nullable Duration retryAfter;
    private boolean isState;
    private transient Json.Obj details = Json.obj();

    public CliException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    public CliException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public static CliException of(UsageException e) {
        CliException usage = new CliException(ErrorCode.USAGE, String.valueOf(e.getMessage()), e);
        usage.hint = e.hint();
        usage.fix = e.fix();
        return usage;
    }

    /// The error that a command ends with. Who may not touch a hive's files is told how to use that
    /// hive all the same: its files are for the user who made it alone.
    public static CliException of(IOException e) {
        CliException failure = new CliException(ErrorCode.IO, FileProblem.describe(e), e);
        return isOfAnotherUser(e)
                ? failure.hint(
                        "the hive's files are for the user who made it alone; that user lets others"
                                + " in with rsm serve, and they go there with --via")
                : failure;
    }

    private static boolean isOfAnotherUser(IOException e) {
        if (!(e instanceof AccessDeniedException denied) || denied.getFile() == null) {
            return false;
        }
        for (Path name : Path.of(denied.getFile())) {
            if (HIVE_FOLDERS.contains(name.toString())) {
                return true;
            }
        }
        return false;
    }

    /// The error of a command whose session had a problem: what would help is said as a line to
    /// type.
    public static CliException of(ProblemException e, Invocation call) {
        if (e.getCause() instanceof CliException known) {
            return known;
        }
        if (e.getCause() instanceof NoSuchInboxException missing) {
            return NoInbox.said(call, missing, String.valueOf(e.getMessage()));
        }
        String part = e.part();
        CliException error =
                new CliException(
                        ErrorCode.of(e.code()),
                        (part == null ? "" : "option --" + part + ": ") + e.getMessage(),
                        e.getCause() == null ? e : e.getCause());
        error.hint = e.hint();
        error.fix = line(e.remedy(), call.line());
        error.details = e.details();
        return error;
    }

    /// This error of a file, for the session that wanted to read it.
    ProblemException asProblem() {
        return new ProblemException(
                ProblemException.Code.BAD_CONFIGURATION, String.valueOf(getMessage()), this);
    }

    private static @Nullable String line(@Nullable Remedy remedy, CommandLine typed) {
        return switch (remedy) {
            case null -> null;
            case Remedy.Command(var words) -> ShellWords.join(words);
            case Remedy.With(var name, var value) ->
                    (value == null ? typed.plus("--" + name) : typed.plus("--" + name, value))
                            .toString();
            case Remedy.Instead(var said, var meant) -> typed.replacing(said, meant).toString();
            case Remedy.Same() -> typed.toString();
        };
    }

    /// Adds what to know or do, in words.
    public CliException hint(String words) {
        this.hint = words;
        return this;
    }

    /// Adds the command to type.
    public CliException fix(String command) {
        this.fix = command;
        return this;
    }

    /// Says that the same command may succeed after `wait`.
    public CliException retryAfter(Duration wait) {
        this.retryAfter = wait;
        return this;
    }

    /// Says that nothing went wrong: a person chose the state that the hive is in. Exit and code
    /// stay, and people are not told of an error.
    public CliException asState() {
        this.isState = true;
        return this;
    }

    public boolean isState() {
        return isState;
    }

    /// Adds a field beside `error`, for what a command did before it failed.
    public CliException detail(String name, Json value) {
        details = details.put(name, value);
        return this;
    }

    /// What stands beside `error`.
    Json.Obj details() {
        return details;
    }

    public ErrorCode code() {
        return code;
    }

    /// The hint as people see it: the words, then the command to type.
    public @Nullable String hintLine() {
        if (hint == null) {
            return fix;
        }
        return fix == null ? hint : hint + "  " + fix;
    }

    /// The error answer of `--json`.
    public Json.Obj json() {
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
