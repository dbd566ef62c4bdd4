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
import dev.pheromone.hooks.RefusedCalls;
import dev.pheromone.hooks.ToolCallCheck;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.InvalidPathException;
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

/// `rsm hook`: what an agent program calls before it uses a tool. Free: exit 0, and nothing is
/// printed; blocked: exit 2, and the reason on standard error. Copilot reads the reason from
/// standard output, as JSON.
public final class HookCommand implements Command {

    private static final List<String> PROJECT_VARIABLES =
            List.of("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR");

    /// How long a decision may take. The hook as a whole has 15 s, and some agent programs let a
    /// call go on whose hook takes longer; to start on a busy machine takes its share of them.
    private static final Duration PATIENCE = Duration.ofSeconds(8);

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
                        "decides whether a tool call may proceed; called by agent programs")
                .required(
                        "HARNESS",
                        "the agent program: claude, codex, gemini, copilot or opencode",
                        Harness.names())
                .required("EVENT", "what is about to happen, as that program calls it")
                .note(
                        "Reads the tool call as JSON on standard input. Exit 2 blocks it, with the"
                                + " reason; exit 0 says nothing. While there is a lock, a call that"
                                + " can't be judged is blocked. rsm setup installs it.")
                .example("rsm hook claude PreToolUse < call.json", "as Claude Code runs it")
                .build();
    }

    @Override
    public Answer run(Invocation call) {
        AtomicReference<@Nullable Asked> found = new AtomicReference<>();
        FutureTask<Judged> decision = new FutureTask<>(() -> decision(call, found));
        try {
            Thread.ofPlatform().daemon().start(decision);
        } catch (OutOfMemoryError e) {
            // No thread to be had: it takes as long as it takes.
            decision.run();
        }
        Judged judged = within(decision);
        Asked asked = found.get();
        if (asked != null) {
            Actor actor = call.identityIn(asked.session()).actor();
            HookEvents events = new HookEvents(asked.locks(), actor, call.clock());
            events.tell(judged.decision());
            judged.refused().forEach(events::tell);
        }
        boolean readsJson = Harness.COPILOT.toString().equals(call.args().operand(0));
        return new Decided(judged, readsJson);
    }

    /// What came out of it.
    ///
    /// @param refused what stands against calls that the program has refused by itself
    private record Judged(Decision decision, List<Decision.Blocked> refused) {
        static Judged of(Decision decision) {
            return new Judged(decision, List.of());
        }
    }

    /// What is known of a call before it is judged.
    ///
    /// @param session whose tool asks
    private record Asked(GuardLocks locks, AgentSession session) {}

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
    private static Judged decision(Invocation call, AtomicReference<@Nullable Asked> found) {
        byte[] json = new byte[0];
        Exception unread = null;
        try {
            json = call.userFiles().readInput(ToolCallCheck.INPUT_BYTES_MAX);
        } catch (IOException | RuntimeException e) {
            unread = e;
        }
        GuardLocks locks;
        Json.Obj payload = payload(json);
        try {
            locks = GuardLocks.of(call, folders(call, payload));
        } catch (NoHiveException | IOException | RuntimeException e) {
            return Judged.of(
                    Decision.Blocked.uncertain("the locks can't be read: " + e.getMessage()));
        }
        found.set(new Asked(locks, session(call, payload)));
        if (Harness.CLAUDE.tellsRefusals(String.valueOf(call.args().operand(1)))) {
            return new Judged(Decision.FREE, refused(call, locks, json));
        }
        return Judged.of(decide(call, locks, json, unread));
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

    private static Decision decide(
            Invocation call, GuardLocks locks, byte[] json, @Nullable Exception unread) {
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

    /// What the agent program says; nothing where that can't be read, which the check itself tells.
    private static Json.Obj payload(byte[] json) {
        try {
            return Json.parse(json) instanceof Json.Obj object ? object : Json.obj();
        } catch (MalformedJsonException | RuntimeException | StackOverflowError e) {
            return Json.obj();
        }
    }

    /// The session of the agent program that asks: as the program itself says, else as the
    /// environment shows. Only agent programs ask, so that there is always one.
    private static AgentSession session(Invocation call, Json.Obj payload) {
        String harness = String.valueOf(call.args().operand(0));
        Optional<String> id =
                payload.optionalText("session_id")
                        .or(() -> payload.optionalText("sessionId"))
                        .filter(text -> !text.isBlank());
        AgentSession shown = AgentSession.detect(call.surroundings().env());
        return id.isEmpty() && shown != null && shown.harness().equals(harness)
                ? shown
                : new AgentSession(harness, id.orElse(null));
    }

    /// Where the agent program says that the project is, and where the tool is to be used: we may
    /// be started elsewhere.
    private static List<Path> folders(Invocation call, Json.Obj payload) {
        List<String> named = new ArrayList<>();
        for (String variable : PROJECT_VARIABLES) {
            named.add(String.valueOf(call.surroundings().env().getOrDefault(variable, "")));
        }
        named.add(payload.optionalText("cwd").orElse(""));
        List<Path> folders = new ArrayList<>();
        for (String name : named) {
            try {
                if (!name.isEmpty()) {
                    folders.add(call.surroundings().cwd().resolve(name));
                }
            } catch (InvalidPathException e) {
                // It is no folder, then.
            }
        }
        return folders;
    }

    /// @param readsJson whether the program takes the reason from standard output
    private record Decided(Judged judged, boolean readsJson) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("allowed", !(judged.decision() instanceof Decision.Blocked));
        }

        /// Programs take whatever is printed for more than it is.
        @Override
        public boolean isSilent() {
            return true;
        }

        @Override
        public void show(Screen screen) {
            if (readsJson && judged.decision() instanceof Decision.Blocked blocked) {
                screen.line(
                        Json.obj()
                                .put("permissionDecision", "deny")
                                .put("permissionDecisionReason", "rsm: " + blocked.reason())
                                .toString());
            }
            if (!judged.refused().isEmpty()) {
                StringBuilder reasons = new StringBuilder("rsm, a tool of this project, says why:");
                for (Decision.Blocked blocked : judged.refused()) {
                    reasons.append('\n').append(blocked.reason());
                }
                Json.Obj told =
                        Json.obj()
                                .put("hookEventName", "PostToolBatch")
                                .put("additionalContext", reasons.toString());
                screen.line(Json.obj().put("hookSpecificOutput", told).toString());
            }
        }

        @Override
        public @Nullable CliException failure() {
            return judged.decision() instanceof Decision.Blocked(String reason, var _, var _)
                    ? new CliException(ErrorCode.BLOCKED, reason)
                    : null;
        }
    }
}
