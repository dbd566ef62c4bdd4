package dev.pheromone.cli;

import dev.pheromone.Json;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.file.NoHiveException;
import dev.pheromone.hooks.Decision;
import dev.pheromone.hooks.Harness;
import dev.pheromone.hooks.ToolCallCheck;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/// `rsm hook`: what an agent program calls before it uses a tool. Free: exit 0, and nothing is
/// printed; blocked: exit 2, and the reason on standard error.
final class HookCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of(
                        "hook",
                        Group.AGENTS,
                        "decides whether a tool call may go on; agent programs call it")
                .required(
                        "HARNESS",
                        "the agent program: claude, codex or gemini",
                        List.of("claude", "codex", "gemini"))
                .required("EVENT", "what is about to happen, as that program calls it")
                .note(
                        "Reads the tool call as JSON on standard input. Exit 2 blocks it, with the"
                                + " reason; exit 0 says nothing. What can't be told is blocked"
                                + " while there is a lock. rsm setup installs it.")
                .example("rsm hook claude PreToolUse < call.json", "as Claude Code runs it")
                .build();
    }

    @Override
    public Answer run(Invocation call) {
        GuardLocks locks;
        try {
            locks = GuardLocks.of(call);
        } catch (NoHiveException | IOException | RuntimeException e) {
            return new Decided(new Decision.Blocked("the locks can't be read: " + e.getMessage()));
        }
        if (locks == null) {
            return new Decided(Decision.FREE);
        }
        try {
            Harness harness = Harness.parse(String.valueOf(call.args().operand(0)));
            byte[] json = call.userFiles().readInput(ToolCallCheck.INPUT_BYTES_MAX);
            return new Decided(
                    new ToolCallCheck(harness, locks, call.surroundings().env())
                            .decide(
                                    String.valueOf(call.args().operand(1)),
                                    json,
                                    call.surroundings().cwd()));
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            return new Decided(
                    locks.areas().isEmpty()
                            ? Decision.FREE
                            : new Decision.Blocked("the tool call can't be read: " + e));
        }
    }

    private record Decided(Decision decision) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("allowed", !(decision instanceof Decision.Blocked));
        }

        /// Programs take whatever is printed for more than it is.
        @Override
        public void show(Screen screen) {}

        @Override
        public @Nullable CliException failure() {
            return decision instanceof Decision.Blocked(String reason)
                    ? new CliException(ErrorCode.BLOCKED, reason)
                    : null;
        }
    }
}
