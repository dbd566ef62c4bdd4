package dev.pheromone.cli.agent;

import dev.pheromone.session.seat.Moment;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// An event at which an agent program calls our bell, and the form in which the program takes an
/// answer. What the programs take was tried with Claude Code 2.1.325, Codex 0.166.0, Gemini CLI
/// 0.61.0 and Copilot CLI 1.0.102.
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

    /// All of them.
    public static final List<BellEvent> ALL =
            List.of(
                    new BellEvent("claude", "SessionStart", Moment.START, Form.CONTEXT_AND_WATCH),
                    new BellEvent("claude", "UserPromptSubmit", Moment.PROMPT, Form.CONTEXT),
                    new BellEvent("claude", "PostToolUse", Moment.TOOL, Form.CONTEXT),
                    new BellEvent("claude", "PostToolUseFailure", Moment.TOOL, Form.CONTEXT),
                    new BellEvent("claude", "Stop", Moment.STOP, Form.BLOCK),
                    new BellEvent("claude", "SubagentStop", Moment.SUBAGENT_STOP, Form.NONE),
                    new BellEvent("claude", "FileChanged", Moment.CHANGE, Form.STDERR),
                    new BellEvent("claude", "SessionEnd", Moment.END, Form.NONE),
                    new BellEvent("codex", "SessionStart", Moment.START, Form.CONTEXT),
                    new BellEvent("codex", "UserPromptSubmit", Moment.PROMPT, Form.CONTEXT),
                    new BellEvent("codex", "PostToolUse", Moment.TOOL, Form.CONTEXT),
                    new BellEvent("codex", "Stop", Moment.STOP, Form.BLOCK),
                    new BellEvent("gemini", "SessionStart", Moment.START, Form.CONTEXT),
                    new BellEvent("gemini", "BeforeAgent", Moment.PROMPT, Form.CONTEXT),
                    new BellEvent("gemini", "AfterTool", Moment.TOOL, Form.CONTEXT),
                    new BellEvent("gemini", "AfterAgent", Moment.STOP, Form.BLOCK),
                    new BellEvent("gemini", "SessionEnd", Moment.END, Form.NONE),
                    new BellEvent("copilot", "sessionStart", Moment.START, Form.BARE_CONTEXT),
                    new BellEvent(
                            "copilot", "userPromptSubmitted", Moment.PROMPT, Form.BARE_CONTEXT),
                    new BellEvent("copilot", "postToolUse", Moment.TOOL, Form.BARE_CONTEXT),
                    new BellEvent("copilot", "agentStop", Moment.STOP, Form.BLOCK),
                    new BellEvent("copilot", "sessionEnd", Moment.END, Form.NONE));

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
