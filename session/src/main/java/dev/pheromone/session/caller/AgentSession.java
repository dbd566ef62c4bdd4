package dev.pheromone.session.caller;

import dev.pheromone.envelope.ContentHash;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/// The agent in whose session the program runs, as the environment shows it.
///
/// @param harness the agent's tool, such as `claude`
/// @param id the session's id, if the tool tells it
public record AgentSession(String harness, @Nullable String id) {

    /// So many digits of a hash tell the sessions of one repository apart, and can still be said
    /// aloud.
    private static final int ID_DIGITS = 4;

    /// @param markers variables that the tool sets in the commands it runs, and nowhere else
    /// @param ids variables that hold the session's id, best first
    private record Harness(String name, List<String> markers, List<String> ids) {}

    /// In the order they are looked for. Sessions nest, and all marks are inherited: the tools that
    /// are mostly called by others come first, the one that mostly calls others last.
    private static final List<Harness> HARNESSES =
            List.of(
                    new Harness(
                            "codex",
                            List.of(
                                    "CODEX_THREAD_ID",
                                    "CODEX_SANDBOX",
                                    "CODEX_SANDBOX_NETWORK_DISABLED",
                                    "CODEX_CI"),
                            List.of("CODEX_THREAD_ID")),
                    new Harness("gemini", List.of("GEMINI_CLI"), List.of("GEMINI_SESSION_ID")),
                    new Harness("qwen", List.of("QWEN_CODE"), List.of()),
                    new Harness("opencode", List.of("OPENCODE"), List.of("OPENCODE_SESSION_ID")),
                    new Harness(
                            "copilot", List.of("COPILOT_CLI"), List.of("COPILOT_AGENT_SESSION_ID")),
                    new Harness("cursor", List.of("CURSOR_AGENT"), List.of("CURSOR_TRACE_ID")),
                    new Harness(
                            "claude",
                            List.of("CLAUDECODE"),
                            List.of(
                                    "CLAUDE_CODE_SESSION_ID",
                                    "CLAUDE_SESSION_ID",
                                    "CLAUDE_CODE_REMOTE_SESSION_ID")));

    /// The variable by which any other tool can say its name.
    private static final String ANY_AGENT = "AI_AGENT";

    /// The session that `env` shows, or null if a person asks.
    public static @Nullable AgentSession detect(Map<String, String> env) {
        for (Harness harness : HARNESSES) {
            if (first(env, harness.markers()) != null) {
                return new AgentSession(harness.name(), first(env, harness.ids()));
            }
        }
        String other = first(env, List.of(ANY_AGENT));
        return other == null ? null : new AgentSession(Identity.asName(other, "agent"), null);
    }

    /// `claude-7f3a`, or `claude` if the tool does not tell its sessions apart.
    public String actorName() {
        if (id == null) {
            return harness;
        }
        return harness
                + "-"
                + ContentHash.of(id.getBytes(StandardCharsets.UTF_8)).hex().substring(0, ID_DIGITS);
    }

    private static @Nullable String first(Map<String, String> env, List<String> names) {
        for (String name : names) {
            String value = env.get(name);
            if (value != null && !value.isEmpty() && !value.equals("0") && !value.equals("false")) {
                return value;
            }
        }
        return null;
    }
}
