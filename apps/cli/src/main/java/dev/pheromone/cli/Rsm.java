package dev.pheromone.cli;

import dev.pheromone.NotLetInException;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.ArgsParser;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.args.UsageException;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.EverywhereOptions;
import dev.pheromone.cli.frame.Exit;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Locked;
import dev.pheromone.cli.frame.Output;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Streamed;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.resident.Servable;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.text.Json;
import dev.pheromone.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;

/// The program: finds the command that a line names, runs it, and reports how it ended.
final class Rsm {

    /// The program, for commands that run others.
    static final Program PROGRAM =
            new Program() {
                @Override
                public int run(List<String> words, Surroundings surroundings) {
                    Rsm rsm = new Rsm(surroundings);
                    int exit = rsm.run(words);
                    OutOfMemoryError exhausted = rsm.exhausted;
                    if (exhausted != null) {
                        throw exhausted;
                    }
                    return exit;
                }

                @Override
                public Optional<Invocation> servable(
                        List<String> words, Surroundings surroundings) {
                    return new Rsm(surroundings).servable(new CommandLine(words));
                }
            };

    private final Surroundings surroundings;
    private final Output out;
    private final Output err;
    private @Nullable OutOfMemoryError exhausted;

    Rsm(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.out = new Output(surroundings.out());
        this.err = new Output(surroundings.err());
    }

    /// Runs `words`, and returns the process's exit code. Fails with nothing: every failure is an
    /// answer.
    int run(List<String> words) {
        Exit exit = Exit.DONE;
        try {
            exit = answerOrReport(new CommandLine(words));
            out.flush();
        } catch (OutputClosedException e) {
            if (!e.readerLeft()) {
                tell("rsm: error: " + e.described());
                exit = Exit.FAILED;
            }
        }
        return exit.code();
    }

    /// Reports that `words` are not even looked at, and returns the exit code.
    int refuse(CliException reason, List<String> words) {
        report(reason, new CommandLine(words));
        out.flush();
        return reason.code().exit().code();
    }

    private Exit answerOrReport(CommandLine line) {
        CliException failure;
        try {
            return answer(line);
        } catch (OutputClosedException e) {
            throw e;
        } catch (CliException e) {
            failure = e;
        } catch (UsageException e) {
            failure = CliException.of(e);
        } catch (WithheldException e) {
            failure = Locked.by(e);
        } catch (NotLetInException e) {
            failure =
                    new CliException(ErrorCode.IO, FileProblem.describe(e), e)
                            .hint(
                                    "how to log in, and whom to trust, is said in .deia/hive.yaml:"
                                            + " token_file, or user and password_file; ca_file");
        } catch (IOException e) {
            failure = CliException.of(e);
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            exhausted = e instanceof OutOfMemoryError error ? error : null;
            failure =
                    new CliException(ErrorCode.INTERNAL, "internal error: " + e, e)
                            .hint("this is a defect of rsm; to see where:")
                            .fix("RSM_DEBUG=1 " + line);
        }
        report(failure, line);
        return failure.code().exit();
    }

    private Exit answer(CommandLine line) throws IOException {
        ArgsParser parser = EverywhereOptions.parser();
        int commandIndex = parser.commandIndex(line);
        if (commandIndex < 0) {
            Args args = parser.parseWithoutCommand(line);
            Answer answer = args.has("version") ? new VersionAnswer() : new OverviewAnswer();
            return print(answer, args, List.of());
        }
        String name = line.words().get(commandIndex);
        Command command = Verbs.named(name);
        if (command == null) {
            throw unknownCommand(line, commandIndex);
        }
        Spec spec = command.spec();
        Args args;
        try {
            args = parser.parse(line, commandIndex, spec);
        } catch (UsageException e) {
            UsageException meant = command.meant(line, commandIndex);
            throw meant == null ? e : meant;
        }
        if (args.has("help")) {
            return print(new HelpAnswer(spec), args, List.of());
        }
        Invocation call = call(line, spec, args);
        try {
            return printOrUndo(command.run(call), call);
        } catch (ProblemException e) {
            throw CliException.of(e, call);
        } catch (WithheldException e) {
            Locked.report(call, e);
            throw Locked.by(call, e);
        }
    }

    private Invocation call(CommandLine line, Spec spec, Args args) {
        return new Invocation(line, spec, args, surroundings, out, err, PROGRAM);
    }

    /// The call that `line` means, if a resident process may answer it. What can't be understood is
    /// explained by a process of its own.
    private Optional<Invocation> servable(CommandLine line) {
        ArgsParser parser = EverywhereOptions.parser();
        int commandIndex = parser.commandIndex(line);
        Command command = commandIndex < 0 ? null : Verbs.named(line.words().get(commandIndex));
        if (command == null) {
            return Optional.empty();
        }
        Spec spec = command.spec();
        Args args = parser.parse(line, commandIndex, spec);
        return !args.has("help") && Servable.is(spec, args)
                ? Optional.of(call(line, spec, args))
                : Optional.empty();
    }

    /// Whoever can't be told of a claim or of sent mail must not be left with it unawares.
    private Exit printOrUndo(Answer answer, Invocation call) {
        try {
            return print(answer, call.args(), call.warnings());
        } catch (OutputClosedException e) {
            CliException lost = answer.unwritten(call, e);
            if (lost == null) {
                throw e;
            }
            tell(lost);
            return lost.code().exit();
        }
    }

    private Exit print(Answer answer, Args args, List<String> warnings) {
        CliException failure = answer.failure();
        if (answer instanceof Streamed) {
            return Exit.DONE;
        }
        boolean wantsJson = args.has("json") && !answer.isSilent();
        if (wantsJson) {
            Json.Obj head = failure == null ? Json.obj().put("ok", true) : failure.json();
            Json.Obj json = head.putAll(answer.json());
            out.line((warnings.isEmpty() ? json : json.putTexts("warnings", warnings)).toString());
        } else if (args.has("quiet")) {
            answer.showBriefly(new Screen(out, surroundings));
        } else {
            answer.show(new Screen(out, surroundings));
        }
        out.flush();
        if (failure == null) {
            return Exit.DONE;
        }
        if (!wantsJson && !answer.tellsFailure()) {
            tell(failure);
        }
        return failure.code().exit();
    }

    private static UsageException unknownCommand(CommandLine line, int commandIndex) {
        String typed = line.words().get(commandIndex);
        UsageException synonym = Synonyms.explain(line, commandIndex);
        if (synonym != null) {
            return synonym;
        }
        List<String> nearest = Nearest.to(typed, Verbs.NAMES);
        if (nearest.isEmpty()) {
            return new UsageException(
                    "unknown command \"" + typed + "\"", "all commands:", "rsm help all");
        }
        return new UsageException(
                "unknown command \"" + typed + "\"",
                "did you mean " + Phrase.or(nearest) + "?",
                line.with(commandIndex, nearest.getFirst()).toString());
    }

    private void report(CliException failure, CommandLine line) {
        if (surroundings.isDebugging()) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            tell(trace.toString().stripTrailing());
        }
        if (wantsJson(line) && isWritten(failure.json().toString())) {
            return;
        }
        // What was answered before it failed comes first, also where both streams are one terminal.
        out.flush();
        tell(failure);
    }

    /// Whether it could be written. A failure that can't be is told on standard error instead.
    private boolean isWritten(String json) {
        try {
            out.line(json);
            out.flush();
            return true;
        } catch (OutputClosedException e) {
            return e.readerLeft();
        }
    }

    private void tell(CliException failure) {
        tell(
                (failure.isState() ? "rsm: " : "rsm: error: ")
                        + SafeText.line(String.valueOf(failure.getMessage())));
        String hint = failure.hintLine();
        if (hint != null) {
            tell("rsm: hint: " + SafeText.line(hint));
        }
    }

    /// Whether `--json` was typed: asked of lines too that can't be parsed. Who calls a hook reads
    /// the reason on standard error, whatever was typed.
    private static boolean wantsJson(CommandLine line) {
        if (isHook(line)) {
            return false;
        }
        int end = line.words().indexOf("--");
        return (end < 0 ? line.words() : line.words().subList(0, end)).contains("--json");
    }

    private static boolean isHook(CommandLine line) {
        try {
            int at = EverywhereOptions.parser().commandIndex(line);
            return at >= 0 && line.words().get(at).equals("hook");
        } catch (UsageException e) {
            return false;
        }
    }

    private void tell(String text) {
        try {
            err.line(text);
            err.flush();
        } catch (OutputClosedException e) {
            // Nobody is left to tell; the exit code still does.
        }
    }
}
