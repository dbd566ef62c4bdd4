package dev.pheromone.cli.agent;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.hooks.Decision;
import dev.pheromone.hooks.Harness;
import dev.pheromone.hooks.ToolCallCheck;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/// `rsm hook`: what an agent program calls before it uses a tool, and at other events. Before a
/// tool it guards: free is exit 0, and nothing is printed; blocked is exit 2, and the reason on
/// standard error. At a [BellEvent] it tells the session of its mail, and never blocks.
public final class HookCommand implements Command {

    /// How long a decision may take. The hook as a whole has 15 s, and some agent programs let a
    /// call go on whose hook takes longer; to start on a busy machine takes its share of them.
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    /// How long a bell may take; an agent waits for it at every step.
    private static final Duration BELL_PATIENCE = Duration.ofSeconds(2);

    private final Duration patience;

    public HookCommand() {
        this(PATIENCE);
    }

    public HookCommand(Duration patience) {
        this.patience = patience;
    }

    @Override
    public Spec spec() {
        return Spec.of(
                        "hook",
                        Group.AGENTS,
                        "guards tool calls and tells of mail; called by agent programs")
                .required(
                        "HARNESS",
                        "the agent program: claude, codex, gemini or copilot",
                        List.of("claude", "codex", "gemini", "copilot"))
                .required("EVENT", "what happens, as that program calls it")
                .note(
                        "Reads the tool call as JSON on standard input. Exit 2 blocks it, with the"
                                + " reason; exit 0 says nothing. While there is a lock, a call that"
                                + " can't be judged is blocked. rsm setup installs it.")
                .note(
                        "At the start of a session, at a prompt, after a tool and at a stop it"
                                + " prints what the session should know of its mail, in that"
                                + " program's JSON: counts and ids, and nothing that others wrote."
                                + " RSM_SERVES names the domains whose mail it is told of, too."
                                + " RSM_ATTENDED=1 says that a person sits before the session, so"
                                + " that urgent mail may hold its stop once a turn.")
                .example("rsm hook claude PreToolUse < call.json", "as Claude Code runs it")
                .example("rsm hook codex UserPromptSubmit < call.json", "as Codex runs it")
                .build();
    }

    @Override
    public Answer run(Invocation call) {
        FutureTask<byte[]> input = input(call);
        BellEvent event =
                BellEvent.find(
                        String.valueOf(call.args().operand(0)),
                        String.valueOf(call.args().operand(1)));
        return event == null ? guard(call, input) : bell(call, event, input);
    }

    /// What the program says, read by whoever first asks for it: it may never come.
    private static FutureTask<byte[]> input(Invocation call) {
        return new FutureTask<>(() -> call.userFiles().readInput(ToolCallCheck.INPUT_BYTES_MAX));
    }

    /// Rings, unless the program says that another event is due: a tool may be about to be used.
    private Answer bell(Invocation call, BellEvent event, FutureTask<byte[]> input) {
        FutureTask<Optional<Answer>> ringing =
                new FutureTask<>(() -> {
                    input.run();
                    HookInput said = HookInput.parse(input.get());
                    return said.text("hook_event_name", "hookEventName")
                                    .filter(name -> !name.equalsIgnoreCase(event.name()))
                                    .isPresent()
                            ? Optional.empty()
                            : Optional.of(new BellHook(call, said).answer(event));
                });
        start(ringing);
        try {
            Optional<Answer> answer = ringing.get(BELL_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return answer.isPresent() ? answer.get() : guard(call, input);
        } catch (TimeoutException | ExecutionException e) {
            return new Decided(Decision.FREE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Decided(Decision.FREE);
        }
    }

    private Answer guard(Invocation call, FutureTask<byte[]> input) {
        AtomicReference<@Nullable Asked> found = new AtomicReference<>();
        FutureTask<Decision> decision = new FutureTask<>(() -> decision(call, input, found));
        start(decision);
        Decision decided = within(decision);
        Asked asked = found.get();
        if (asked != null) {
            Actor actor = call.identityIn(asked.input().session(call)).actor();
            new HookEvents(asked.locks(), actor, call.clock()).tell(decided);
            new BellHook(call, asked.input()).noteTool(asked.locks());
        }
        return new Decided(decided);
    }

    private static void start(FutureTask<?> task) {
        try {
            Thread.ofPlatform().daemon().start(task);
        } catch (OutOfMemoryError e) {
            // No thread to be had: it takes as long as it takes.
            task.run();
        }
    }

    /// What is known of a call before it is judged.
    private record Asked(GuardLocks locks, HookInput input) {}

    private Decision within(FutureTask<Decision> decision) {
        String problem;
        try {
            return decision.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            problem = "nobody could tell within " + patience.toSeconds() + " s; make it shorter";
        } catch (ExecutionException e) {
            problem = "the tool call could not be checked: " + e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            problem = "the check was interrupted";
        }
        // Without a lock, too: the hive's own files are not for agents at any time.
        return Decision.Blocked.uncertain(problem);
    }

    /// The decision; `found` gets what is known as soon as it is.
    private static Decision decision(
            Invocation call, FutureTask<byte[]> input, AtomicReference<@Nullable Asked> found)
            throws InterruptedException {
        byte[] json = new byte[0];
        Throwable unread = null;
        try {
            input.run();
            json = input.get();
        } catch (ExecutionException e) {
            unread = e.getCause() == null ? e : e.getCause();
        }
        GuardLocks locks;
        HookInput said = HookInput.parse(json);
        try {
            locks = GuardLocks.of(call, said.folders(call));
        } catch (NoHiveException | IOException | RuntimeException e) {
            return Decision.Blocked.uncertain("the locks can't be read: " + e.getMessage());
        }
        found.set(new Asked(locks, said));
        return decide(call, locks, json, unread);
    }

    private static Decision decide(
            Invocation call, GuardLocks locks, byte[] json, @Nullable Throwable unread) {
        if (unread != null) {
            return unread(locks, unread);
        }
        try {
            Harness harness = Harness.parse(String.valueOf(call.args().operand(0)));
            return new ToolCallCheck(harness, locks, environment(call))
                    .decide(
                            String.valueOf(call.args().operand(1)),
                            json,
                            call.surroundings().cwd());
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            return unread(locks, e);
        }
    }

    /// What the tool's environment is, as far as we know: a shell finds the home folder without a
    /// variable, too.
    private static Map<String, String> environment(Invocation call) {
        Map<String, String> environment = new HashMap<>(call.surroundings().env());
        environment.putIfAbsent("HOME", call.surroundings().home().toString());
        return environment;
    }

    private static Decision unread(GuardLocks locks, Throwable problem) {
        // Free only if it is known that nothing is locked.
        return locks.areas().isEmpty()
                ? Decision.FREE
                : Decision.Blocked.uncertain(
                        "the tool call can't be read: " + problem.getMessage());
    }

    private record Decided(Decision decision) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("allowed", !(decision instanceof Decision.Blocked));
        }

        /// Programs take whatever is printed for more than it is.
        @Override
        public boolean isSilent() {
            return true;
        }

        @Override
        public void show(Screen screen) {}

        @Override
        public @Nullable CliException failure() {
            return decision instanceof Decision.Blocked(String reason, var _, var _)
                    ? new CliException(ErrorCode.BLOCKED, reason)
                    : null;
        }
    }
}
