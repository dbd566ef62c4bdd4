package dev.pheromone.hooks;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// An agent program that can call a hook before it uses a tool.
///
/// What its hooks look like was read in these documents; a newer version may differ.
///
/// - **claude**: the hooks reference and the permissions page of Claude Code, as of version 2.1.319
///   (November 2026). Exit 2 blocks, other failures don't unless the hook says `onFailure: "block"`
///   (since 2.1.295). Time-outs in seconds, 600 by default. Only `Read(…)` and `Edit(…)` rules are
///   looked at for paths; `//` begins an absolute one.
/// - **codex**: the hooks page of Codex and the source of its hooks crate (0.15x, autumn 2026).
///   Exit 2 blocks only with a reason on stderr; every other failure lets the call run. Time-outs
///   in seconds. A new or changed hook runs only after a person trusted it.
/// - **gemini**: the hooks reference of Gemini CLI (repository state of 2026). Exit 2 blocks, other
///   codes warn. Time-outs in milliseconds, 60000 by default.
public enum Harness {
    CLAUDE(
            "PreToolUse",
            "PostToolUse PostToolUseFailure Notification UserPromptSubmit SessionStart SessionEnd"
                    + " Stop SubagentStart SubagentStop PreCompact",
            ".claude/settings.json",
            ".claude/settings.local.json"),
    CODEX(
            "PreToolUse",
            "PostToolUse UserPromptSubmit SessionStart Stop",
            ".codex/hooks.json",
            ".codex/config.toml"),
    GEMINI(
            "BeforeTool",
            "AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection"
                    + " Notification SessionStart SessionEnd PreCompress",
            ".gemini/settings.json",
            "");

    /// `hooks = false` in the table of features, alone on its line or within braces.
    private static final Pattern CODEX_SWITCH =
            Pattern.compile(
                    "(?m)^\\s*\\[\\s*features\\s*\\][^\\[]*^\\s*(?:codex_)?hooks\\s*=\\s*false"
                        + "|^\\s*features\\s*(?:\\.\\s*|=\\s*\\{[^}]*\\b)(?:codex_)?hooks\\s*=\\s*false");

    private final String event;
    private final String otherEvents;
    private final String settings;
    private final String switches;

    Harness(String event, String otherEvents, String settings, String switches) {
        this.event = event;
        this.otherEvents = otherEvents;
        this.settings = settings;
        this.switches = switches;
    }

    /// The event that comes before a tool is used.
    public String event() {
        return event;
    }

    /// Whether this is an event of the program at which no tool is about to be used. Names that we
    /// don't know are none of them: what they announce may be a tool call.
    boolean isOther(String name) {
        return List.of(otherEvents.split(" ", -1)).stream().anyMatch(name::equalsIgnoreCase);
    }

    /// Whether what is said at `event` about a tool call reaches the model, and lets the call go
    /// on.
    public boolean tellsBefore(String event) {
        return this == CLAUDE && event.equalsIgnoreCase(this.event);
    }

    /// Whether `event` comes after a tool was used, and is the first one at which the model can be
    /// told something about that call.
    public boolean tellsOnlyAfter(String event) {
        return switch (this) {
            case CLAUDE -> false;
            case CODEX -> event.equalsIgnoreCase("PostToolUse");
            case GEMINI -> event.equalsIgnoreCase("AfterTool");
        };
    }

    /// The project's settings file that names the hooks, relative to the project's folder.
    public String settings() {
        return settings;
    }

    /// The project's settings file for one machine, which is not in its repository, if there is
    /// one.
    public Optional<String> localSettings() {
        return this == CLAUDE ? Optional.of(switches) : Optional.empty();
    }

    /// The files in which hooks are named or switched off, relative to a project or to the home
    /// folder.
    public List<String> deciding() {
        return switches.isEmpty() ? List.of(settings) : List.of(settings, switches);
    }

    /// Whether these settings, of the file that [#settings] is, name our hook.
    public boolean isAskedBy(String text) {
        return text.contains(" hook " + this + " " + event);
    }

    /// Whether this text, of one of the files that [#deciding] names, switches all hooks off. A
    /// text that can't be read does not: the program itself would not start with it, or ignore it.
    public boolean isSwitchedOffBy(String text) {
        return switch (this) {
            case CLAUDE -> isSet(text, false, "disableAllHooks");
            case CODEX -> CODEX_SWITCH.matcher(text).find();
            case GEMINI ->
                    isSet(text, true, "hooksConfig", "enabled")
                            || isSet(text, true, "tools", "enableHooks");
        };
    }

    /// Whether a setting has another value than `normal`.
    private static boolean isSet(String text, boolean normal, String... names) {
        try {
            Json value = Json.parse(text.getBytes(StandardCharsets.UTF_8));
            for (String name : names) {
                if (!(value instanceof Json.Obj object) || object.get(name).isEmpty()) {
                    return false;
                }
                value = object.get(name).get();
            }
            return !value.equals(Json.of(normal));
        } catch (MalformedJsonException e) {
            return false;
        }
    }

    /// Parses `claude`, `codex` or `gemini`.
    public static Harness parse(String text) {
        for (Harness harness : values()) {
            if (harness.toString().equals(text)) {
                return harness;
            }
        }
        throw new IllegalArgumentException(
                "harness \"%s\", expected claude, codex or gemini".formatted(text));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
