package dev.pheromone.cli.agent;

import dev.pheromone.hooks.Harness;
import dev.pheromone.session.seat.Moment;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// An event at which an agent program calls our bell, and the form in which the program takes an
/// answer. What the programs take was tried with Claude Code 2.1.325, Codex 0.166.0, Gemini CLI
/// 0.61.0, Copilot CLI 1.0.102 and OpenCode 1.18.33.
///
/// @param name the event as the program calls it
public record BellEvent(String harness, String name, Moment moment, Form form) {

    /// How a text gets into a session.
    public enum Form {
        /// `hookSpecificOutput` with `additionalContext`.
        CONTEXT,
        /// The same, with the folders that the session is to watch; it is answered in any case.
        CONTEXT_AND_WATCH,
        /// `additionalContext` alone.
        BARE_CONTEXT,
        /// `decision` is `block`, for the reason that is the text: the session goes on.
        BLOCK,
        /// The text on standard error, with exit 2.
        STDERR,
        /// Not at all.
        NONE
    }

    /// All of them: which program tells of what stands in [Harness] alone.
    public static final List<BellEvent> ALL = all();

    private static List<BellEvent> all() {
        List<BellEvent> all = new ArrayList<>();
        for (Harness harness : Harness.values()) {
            for (Harness.Event event : harness.heard()) {
                Moment moment = moment(event.purpose());
                if (moment != null) {
                    all.add(
                            new BellEvent(
                                    harness.toString(),
                                    event.name(),
                                    moment,
                                    form(harness, moment)));
                }
            }
        }
        return List.copyOf(all);
    }

    /// Null if the bell has no part in it.
    private static @Nullable Moment moment(Harness.Purpose purpose) {
        return switch (purpose) {
            case GUARD, REFUSALS -> null;
            case START -> Moment.START;
            case PROMPT -> Moment.PROMPT;
            case TOOL -> Moment.TOOL;
            case STOP -> Moment.STOP;
            case SUBAGENT_STOP -> Moment.SUBAGENT_STOP;
            case END -> Moment.END;
            case WAKE -> Moment.CHANGE;
        };
    }

    private static Form form(Harness harness, Moment moment) {
        return switch (moment) {
            case START, PROMPT, TOOL -> {
                if (harness == Harness.COPILOT) {
                    yield Form.BARE_CONTEXT;
                }
                boolean isWoken = harness == Harness.CLAUDE || harness == Harness.OPENCODE;
                boolean watches = isWoken && moment == Moment.START;
                yield watches ? Form.CONTEXT_AND_WATCH : Form.CONTEXT;
            }
            // OpenCode tells of a stop that nothing can hold any more.
            case STOP -> harness == Harness.OPENCODE ? Form.NONE : Form.BLOCK;
            case CHANGE -> Form.STDERR;
            case TOOL_AHEAD, SUBAGENT_STOP, END -> Form.NONE;
        };
    }

    /// The event of that name; null if the bell has no part in it.
    static @Nullable BellEvent find(String harness, String name) {
        for (BellEvent event : ALL) {
            if (event.harness.equals(harness) && event.name.equalsIgnoreCase(name)) {
                return event;
            }
        }
        return null;
    }
}
