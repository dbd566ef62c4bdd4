package dev.pheromone.hooks;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
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
/// - **copilot**: tried with Copilot CLI 1.0.102. Exit 2 blocks, and so does a failure; what the
///   hook says on stderr is dropped, its JSON on stdout reaches the model. A time-out lets the call
///   run.
/// - **opencode**: tried with OpenCode 1.18.33. A plugin that throws blocks the call, and its
///   message reaches the model.
public enum Harness {
    CLAUDE(
            "Notification SubagentStart PreCompact",
            ".claude/settings.json",
            ".claude/settings.json",
            ".claude/settings.local.json"),
    CODEX("", ".codex/hooks.json", ".codex/hooks.json", ".codex/config.toml"),
    GEMINI(
            "BeforeModel AfterModel BeforeToolSelection Notification PreCompress",
            ".gemini/settings.json",
            ".gemini/settings.json",
            ".geminiignore"),
    COPILOT(
            "postToolUseFailure subagentStart subagentStop errorOccurred preCompact notification",
            ".github/hooks/rsm.json",
            ".copilot/hooks/rsm.json",
            ".copilot/settings.json .copilot/config.json"),
    OPENCODE("", ".opencode/plugins/rsm.js", ".config/opencode/plugins/rsm.js", "");

    /// What an event is there for.
    public enum Purpose {
        /// Asked before a tool is used: what it does not answer with a plain yes is a no.
        GUARD,
        /// Told what the program itself refused, because of a rule that we gave it.
        REFUSALS,
        /// A session begins. From here on the events tell of the session, and tell the session of
        /// its mail: they block nothing, whatever becomes of them.
        START,
        /// Somebody has asked for something.
        PROMPT,
        /// A tool was used.
        TOOL,
        /// The turn is over, unless something holds it.
        STOP,
        /// The turn of a subagent is over. Answered, in case a person installs it.
        SUBAGENT_STOP,
        /// The session is over.
        END,
        /// A folder that the session watches has changed: exit 2, with what to say, wakes it.
        WAKE
    }

    /// An event at which a program calls us.
    public record Event(String name, Purpose purpose) {}

    /// How codex switches hooks off, as far as a text that nobody parses can tell: wider than its
    /// grammar, never narrower.
    private static final Pattern CODEX_SWITCH =
            Pattern.compile(
                    "(?m)^\\s*\\[\\s*features\\s*\\][^\\[]*^\\s*(?:codex_)?hooks\\s*=\\s*false"
                        + "|^\\s*features\\s*(?:\\.\\s*|=\\s*\\{[^}]*\\b)(?:codex_)?hooks\\s*=\\s*false");

    private final String otherEvents;
    private final String settings;
    private final String userSettings;
    private final String switches;

    Harness(String otherEvents, String settings, String userSettings, String switches) {
        this.otherEvents = otherEvents;
        this.settings = settings;
        this.userSettings = userSettings;
        this.switches = switches;
    }

    /// The names of all programs, as [#parse] takes them.
    public static List<String> names() {
        List<String> names = new ArrayList<>();
        for (Harness harness : values()) {
            names.add(harness.toString());
        }
        return names;
    }

    /// The event that comes before a tool is used.
    public String event() {
        return heard().getFirst().name();
    }

    /// All events at which we have an answer for the program, the guard first.
    public List<Event> heard() {
        return switch (this) {
            case CLAUDE ->
                    List.of(
                            new Event("PreToolUse", Purpose.GUARD),
                            new Event("PostToolBatch", Purpose.REFUSALS),
                            new Event("SessionStart", Purpose.START),
                            new Event("UserPromptSubmit", Purpose.PROMPT),
                            new Event("PostToolUse", Purpose.TOOL),
                            new Event("PostToolUseFailure", Purpose.TOOL),
                            new Event("Stop", Purpose.STOP),
                            new Event("SubagentStop", Purpose.SUBAGENT_STOP),
                            new Event("SessionEnd", Purpose.END),
                            new Event("FileChanged", Purpose.WAKE));
            case CODEX ->
                    List.of(
                            new Event("PreToolUse", Purpose.GUARD),
                            new Event("SessionStart", Purpose.START),
                            new Event("UserPromptSubmit", Purpose.PROMPT),
                            new Event("PostToolUse", Purpose.TOOL),
                            new Event("Stop", Purpose.STOP));
            case GEMINI ->
                    List.of(
                            new Event("BeforeTool", Purpose.GUARD),
                            new Event("SessionStart", Purpose.START),
                            new Event("BeforeAgent", Purpose.PROMPT),
                            new Event("AfterTool", Purpose.TOOL),
                            new Event("AfterAgent", Purpose.STOP),
                            new Event("SessionEnd", Purpose.END));
            case COPILOT ->
                    List.of(
                            new Event("preToolUse", Purpose.GUARD),
                            new Event("sessionStart", Purpose.START),
                            new Event("userPromptSubmitted", Purpose.PROMPT),
                            new Event("postToolUse", Purpose.TOOL),
                            new Event("agentStop", Purpose.STOP),
                            new Event("sessionEnd", Purpose.END));
            case OPENCODE ->
                    List.of(
                            new Event("tool.execute.before", Purpose.GUARD),
                            new Event("session.created", Purpose.START),
                            new Event("chat.message", Purpose.PROMPT),
                            new Event("tool.execute.after", Purpose.TOOL),
                            new Event("session.idle", Purpose.STOP),
                            new Event("session.deleted", Purpose.END),
                            // Our plugin's own: the program knows no such event.
                            new Event("inbox.changed", Purpose.WAKE));
        };
    }

    /// All events at which the program runs our hook, the guard first.
    public List<Event> events() {
        return heard().stream().filter(event -> event.purpose() != Purpose.SUBAGENT_STOP).toList();
    }

    /// Whether this is the event that tells what the program itself refused.
    public boolean tellsRefusals(String name) {
        return isHeard(name, Purpose.REFUSALS);
    }

    /// Whether this is an event of the program at which no tool is about to be used. Names that we
    /// don't know are none of them: what they announce may be a tool call.
    boolean isOther(String name) {
        for (Event event : heard()) {
            if (event.purpose() != Purpose.GUARD && name.equalsIgnoreCase(event.name())) {
                return true;
            }
        }
        for (String other : words(otherEvents)) {
            if (name.equalsIgnoreCase(other)) {
                return true;
            }
        }
        return false;
    }

    private boolean isHeard(String name, Purpose purpose) {
        for (Event event : heard()) {
            if (event.purpose() == purpose && name.equalsIgnoreCase(event.name())) {
                return true;
            }
        }
        return false;
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split(" ", -1));
    }

    /// Whether what is said at `event` about a tool call reaches the model, and lets the call go
    /// on.
    public boolean tellsBefore(String event) {
        return this == CLAUDE && isHeard(event, Purpose.GUARD);
    }

    /// Whether `event` comes after a tool was used, and is the first one at which the model can be
    /// told something about that call.
    public boolean tellsOnlyAfter(String event) {
        return this != CLAUDE && isHeard(event, Purpose.TOOL);
    }

    /// The project's settings file that names the hooks, relative to the project's folder.
    public String settings() {
        return settings;
    }

    /// The user's settings file that names the hooks, relative to the home folder.
    public String userSettings() {
        return userSettings;
    }

    /// The project's settings file for one machine, which is not in its repository, if there is
    /// one.
    public Optional<String> localSettings() {
        return this == CLAUDE ? Optional.of(switches) : Optional.empty();
    }

    /// The folders of which one shows that the program is used, relative to a project or to the
    /// home folder.
    public List<String> folders() {
        return switch (this) {
            case COPILOT -> List.of(".copilot", ".github/hooks");
            case OPENCODE -> List.of(".opencode", ".config/opencode");
            case CLAUDE, CODEX, GEMINI -> List.of(settings.substring(0, settings.indexOf('/')));
        };
    }

    /// The files in which hooks are named or switched off, relative to a project or to the home
    /// folder.
    public List<String> deciding() {
        var files = new LinkedHashSet<>(List.of(settings, userSettings));
        files.addAll(words(switches));
        return List.copyOf(files);
    }

    /// Whether these settings, of the file that [#settings] or [#userSettings] is, name our hook.
    public boolean isAskedBy(String text) {
        return text.contains(" hook " + this + " " + event());
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
            case COPILOT -> isSet(text, false, "disableAllHooks");
            case OPENCODE -> false;
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

    /// Parses one of [#names].
    public static Harness parse(String text) {
        for (Harness harness : values()) {
            if (harness.toString().equals(text)) {
                return harness;
            }
        }
        throw new IllegalArgumentException(
                "harness \"%s\", expected one of %s".formatted(text, String.join(", ", names())));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
