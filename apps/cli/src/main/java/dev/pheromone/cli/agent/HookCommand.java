package dev.pheromone.cli.agent;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Guards;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.hooks.Decision;
import dev.pheromone.hooks.Harness;
import dev.pheromone.hooks.RefusedCalls;
import dev.pheromone.hooks.ToolCallCheck;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.hive.Reserving;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
/// standard error; Copilot reads the reason from standard output, as JSON. At a [BellEvent] it
/// tells the session of its mail, and never blocks.
public final class HookCommand implements Command {

    /// How long a decision may take. The hook as a whole has 60 s, and some agent programs let a
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
                        "the agent program: claude, codex, gemini, copilot or opencode",
                        Harness.names())
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
        BellEvent event = BellEvent.find(harness(call), event(call));
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
                    byte[] json = input.get();
                    HookInput said = HookInput.parse(json);
                    return said.text("hook_event_name", "hookEventName")
                                    .filter(name -> !name.equalsIgnoreCase(event.name()))
                                    .isPresent()
                            ? Optional.empty()
                            : Optional.of(
                                    new BellHook(call, said)
                                            .answer(event, scopes(call, said, json)));
                });
        start(ringing);
        try {
            Optional<Answer> answer = ringing.get(BELL_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return answer.isPresent() ? answer.get() : guard(call, input);
        } catch (TimeoutException | ExecutionException e) {
            return new Decided(Judged.of(Decision.FREE), event(call), false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Decided(Judged.of(Decision.FREE), event(call), false);
        }
    }

    private Answer guard(Invocation call, FutureTask<byte[]> input) {
        AtomicReference<@Nullable Asked> found = new AtomicReference<>();
        FutureTask<Judged> decision = new FutureTask<>(() -> decision(call, input, found));
        start(decision);
        Judged judged = within(decision);
        Asked asked = found.get();
        if (asked != null) {
            Actor actor = call.identityIn(asked.input().session(call)).actor();
            HookEvents events = new HookEvents(asked.locks(), actor, call.clock());
            events.tell(judged.decision());
            judged.refused().forEach(events::tell);
            if (!asked.reserved().isEmpty()) {
                new OwnReservations(call, actor, asked.reserved()).note(event(call));
            }
            new BellHook(call, asked.input()).noteTool(asked.locks());
        }
        boolean readsJson = Harness.COPILOT.toString().equals(harness(call));
        return new Decided(judged, event(call), readsJson);
    }

    /// What the agent program's model is told of a call that is over, where the program could be
    /// told nothing before it; null for nothing. The event is also the sign of life that keeps what
    /// the agent has reserved, or the end of its session.
    private static @Nullable String scopes(Invocation call, HookInput said, byte[] json) {
        try {
            List<Path> folders = said.folders(call);
            Identity identity = call.identityIn(said.session(call));
            List<Guards.Guarded> reserved = new ArrayList<>();
            for (Guards.Guarded hive : new Guards(call, folders).here()) {
                if (Reserving.isUsedAt(hive.layout(), hive.guard())) {
                    reserved.add(hive);
                }
            }
            if (!reserved.isEmpty()) {
                new OwnReservations(call, identity.actor(), reserved).note(event(call));
            }
            Harness harness = Harness.parse(harness(call));
            if (!harness.tellsOnlyAfter(event(call))) {
                return null;
            }
            GuardLocks locks = GuardLocks.of(call, folders);
            ToolCallCheck.Judged judged =
                    new ToolCallCheck(harness, locks, environment(call))
                            .judge(event(call), json, call.surroundings().cwd());
            ScopeNotice.Told told = new ScopeNotice(call, identity, locks).about(judged.written());
            return told == null ? null : told.text();
        } catch (NoHiveException | IOException | RuntimeException | StackOverflowError e) {
            // What others have reserved is no lock: a call that can't be looked at goes on.
            return null;
        }
    }

    /// What came out of it.
    ///
    /// @param notice what the model is told beside the decision; null for nothing
    /// @param refused what stands against calls that the program has refused by itself
    private record Judged(
            Decision decision, @Nullable String notice, List<Decision.Blocked> refused) {

        static Judged of(Decision decision) {
            return new Judged(decision, null, List.of());
        }

        static Judged refused(List<Decision.Blocked> refused) {
            if (refused.isEmpty()) {
                return of(Decision.FREE);
            }
            StringBuilder reasons = new StringBuilder("rsm, a tool of this project, says why:");
            for (Decision.Blocked blocked : refused) {
                reasons.append('\n').append(blocked.reason());
            }
            return new Judged(Decision.FREE, reasons.toString(), refused);
        }
    }

    private static String harness(Invocation call) {
        return String.valueOf(call.args().operand(0));
    }

    private static String event(Invocation call) {
        return String.valueOf(call.args().operand(1));
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
    ///
    /// @param reserved the hives in which something is reserved
    private record Asked(GuardLocks locks, HookInput input, List<Guards.Guarded> reserved) {}

    private Judged within(FutureTask<Judged> decision) {
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
        return Judged.of(Decision.Blocked.uncertain(problem));
    }

    /// The decision; `found` gets what is known as soon as it is.
    private static Judged decision(
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
            return Judged.of(
                    Decision.Blocked.uncertain("the locks can't be read: " + e.getMessage()));
        }
        found.set(new Asked(locks, said, locks.withReservations()));
        if (Harness.CLAUDE.tellsRefusals(event(call))) {
            return Judged.refused(refused(call, locks, json));
        }
        return decide(call, locks, said.session(call), json, unread);
    }

    private static List<Decision.Blocked> refused(Invocation call, GuardLocks locks, byte[] json) {
        List<Decision.Blocked> refused = new ArrayList<>();
        for (byte[] asked : RefusedCalls.of(json)) {
            Decision decision =
                    new ToolCallCheck(Harness.CLAUDE, locks, environment(call))
                            .decide(Harness.CLAUDE.event(), asked, call.surroundings().cwd());
            if (decision instanceof Decision.Blocked blocked) {
                refused.add(blocked);
            }
        }
        return refused;
    }

    private static Judged decide(
            Invocation call,
            GuardLocks locks,
            AgentSession session,
            byte[] json,
            @Nullable Throwable unread) {
        if (unread != null) {
            return Judged.of(unread(locks, unread));
        }
        Harness harness;
        ToolCallCheck.Judged judged;
        try {
            harness = Harness.parse(harness(call));
            judged =
                    new ToolCallCheck(harness, locks, environment(call))
                            .judge(event(call), json, call.surroundings().cwd());
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            return Judged.of(unread(locks, e));
        }
        return withScopes(call, locks, session, harness, judged);
    }

    /// The decision, and what others have to do with what the call writes. That is no lock, and so
    /// no trouble with it stops a call.
    private static Judged withScopes(
            Invocation call,
            GuardLocks locks,
            AgentSession session,
            Harness harness,
            ToolCallCheck.Judged judged) {
        ScopeNotice.Told told;
        try {
            told = new ScopeNotice(call, call.identityIn(session), locks).about(judged.written());
        } catch (RuntimeException e) {
            return Judged.of(judged.decision());
        }
        if (told == null) {
            return Judged.of(judged.decision());
        }
        if (told.blocked() != null) {
            return Judged.of(told.blocked());
        }
        return new Judged(
                judged.decision(),
                harness.tellsBefore(event(call)) ? told.text() : null,
                List.of());
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

    /// @param readsJson whether the program takes the reason from standard output
    private record Decided(Judged judged, String event, boolean readsJson) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("allowed", !(judged.decision() instanceof Decision.Blocked));
        }

        /// Programs take whatever is printed for more than it is.
        @Override
        public boolean isSilent() {
            return true;
        }

        /// Nothing but what the agent program passes on to its model: no word of a decision that
        /// lets the call go on, which stays with the program.
        @Override
        public void show(Screen screen) {
            if (readsJson && judged.decision() instanceof Decision.Blocked blocked) {
                screen.line(
                        Json.obj()
                                .put("permissionDecision", "deny")
                                .put("permissionDecisionReason", "rsm: " + blocked.reason())
                                .toString());
            }
            String notice = judged.notice();
            if (notice != null) {
                Json.Obj told =
                        Json.obj().put("hookEventName", event).put("additionalContext", notice);
                screen.line(Json.obj().put("hookSpecificOutput", told).toString());
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            show(screen);
        }

        @Override
        public @Nullable CliException failure() {
            return judged.decision() instanceof Decision.Blocked(String reason, var _, var _)
                    ? new CliException(ErrorCode.BLOCKED, reason)
                    : null;
        }
    }
}
