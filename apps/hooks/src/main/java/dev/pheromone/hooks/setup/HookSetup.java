package dev.pheromone.hooks.setup;

import dev.pheromone.hooks.Harness;
import dev.pheromone.text.Json;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The installation of our hooks in an agent program's JSON settings: text in, text out. What is
/// ours is known by the command that it runs and by the folder that its rules name; nothing else is
/// touched.
public final class HookSetup implements SetupFile {
    /// With this setting, which no program but Claude Code knows, a skill runs no commands by
    /// itself: no hook would hear of them. The blank before the colon says that it is ours.
    private static final String SKILLS = "disableSkillShellExecution";

    private static final String SKILLS_MEMBER = Json.of(SKILLS) + " : ";

    private final HookCommands commands;
    private final Path file;
    private final Path project;
    private final List<String> unreadable;

    /// @param project whose paths the rules name
    /// @param unreadable the patterns that are locked against reading, relative to the project
    HookSetup(HookCommands commands, Path file, Path project, List<String> unreadable) {
        this.commands = commands;
        this.file = file;
        this.project = project;
        this.unreadable = List.copyOf(unreadable);
    }

    @Override
    public Path file() {
        return file;
    }

    @Override
    public Role role() {
        return Role.HOOK;
    }

    @Override
    public List<String> notes() {
        return commands.notes();
    }

    @Override
    public String installedIn(String settings) throws MalformedSettingsException {
        if (isCurrentIn(settings)) {
            return settings;
        }
        String bare = settings.isBlank() ? settings : removedFrom(settings);
        SettingsText text = SettingsText.parse(bare);
        for (Harness.Event event : events()) {
            Json group = Json.obj().put("hooks", Json.arr(handler(event)));
            text = text.append(group, "hooks", event.name());
        }
        for (String rule : rules()) {
            text = text.append(Json.of(rule), "permissions", "deny");
        }
        if (harness() == Harness.CLAUDE && !text.has(SKILLS)) {
            text = text.with(SKILLS_MEMBER, Json.of(true));
        }
        return text.toString();
    }

    @Override
    public boolean isCurrentIn(String settings) throws MalformedSettingsException {
        SettingsText text = SettingsText.parse(settings);
        return isPresentIn(settings)
                && rulesIn(text).equals(rules())
                && (harness() != Harness.CLAUDE || text.has(SKILLS));
    }

    @Override
    public boolean isPresentIn(String settings) throws MalformedSettingsException {
        SettingsText text = SettingsText.parse(settings);
        for (Harness.Event event : events()) {
            var handlers = new ArrayList<Json>();
            for (Json group : text.items("hooks", event.name())) {
                for (Json handler : handlers(group)) {
                    if (isOurs(handler, event)) {
                        handlers.add(handler);
                    }
                }
            }
            if (!handlers.equals(List.of(handler(event)))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String removedFrom(String settings) throws MalformedSettingsException {
        if (settings.isBlank()) {
            return settings;
        }
        SettingsText text = SettingsText.parse(settings);
        if (harness() == Harness.CLAUDE) {
            text = text.without(SKILLS_MEMBER, Json.of(true));
        }
        for (Harness.Event event : events().reversed()) {
            text = without(event, text);
        }
        Set<String> rules = rulesIn(text);
        if (!rules.isEmpty()) {
            text =
                    text.without(
                            rule -> rule instanceof Json.Str(String value) && rules.contains(value),
                            "permissions",
                            "deny");
        }
        return text.toString();
    }

    @Override
    public boolean isNothing(String text) {
        return text.isEmpty() || text.equals(SettingsText.NEW);
    }

    private SettingsText without(Harness.Event event, SettingsText settings)
            throws MalformedSettingsException {
        SettingsText text = settings;
        List<Json> groups = text.items("hooks", event.name());
        for (int i = groups.size() - 1; i >= 0; i--) {
            List<Json> kept =
                    handlers(groups.get(i)).stream().filter(one -> !isOurs(one, event)).toList();
            boolean shared = !kept.isEmpty() && kept.size() < handlers(groups.get(i)).size();
            if (shared && groups.get(i) instanceof Json.Obj group) {
                text = text.replace(i, group.put("hooks", Json.arr(kept)), "hooks", event.name());
            }
        }
        return text.without(
                group ->
                        !handlers(group).isEmpty()
                                && handlers(group).stream().allMatch(one -> isOurs(one, event)),
                "hooks",
                event.name());
    }

    private Harness harness() {
        return commands.harness();
    }

    private List<Harness.Event> events() {
        return harness().events();
    }

    private static List<Json> handlers(Json group) {
        return group instanceof Json.Obj object
                        && object.get("hooks").orElse(Json.obj()) instanceof Json.Arr(var items)
                ? items
                : List.of();
    }

    private boolean isOurs(Json handler, Harness.Event event) {
        return handler instanceof Json.Obj object
                && commands.isOurs(object.optionalText("command").orElse(""), event);
    }

    private Json.Obj handler(Harness.Event event) {
        Json.Obj handler =
                Json.obj().put("type", "command").put("command", commands.command(event));
        long seconds = HookCommands.timeoutSeconds(event);
        return switch (harness()) {
            case CLAUDE ->
                    switch (event.purpose()) {
                        case GUARD -> handler.put("timeout", seconds).put("onFailure", "block");
                        case REFUSALS, START, PROMPT, TOOL, STOP, SUBAGENT_STOP, END ->
                                handler.put("timeout", seconds);
                        case WAKE -> handler.put("timeout", seconds).put("asyncRewake", true);
                    };
            case GEMINI -> handler.put("timeout", seconds * 1000);
            case CODEX, COPILOT, OPENCODE -> handler.put("timeout", seconds);
        };
    }

    /// Only these two kinds are looked at for paths; writing is covered by `Edit`.
    private Set<String> rules() {
        var rules = new LinkedHashSet<String>();
        if (harness() == Harness.CLAUDE) {
            for (String path : UnreadablePaths.below(unreadable)) {
                rules.add("Read(" + prefix(commands.scope()) + path + ")");
                rules.add("Edit(" + prefix(commands.scope()) + path + ")");
            }
        }
        return rules;
    }

    /// One slash begins a path in the project, two an absolute one.
    private String prefix(Scope place) {
        return place == Scope.SHARED
                ? "/"
                : "/" + project.toString().replaceAll("([\\[\\]*?\\\\!])", "\\\\$1") + "/";
    }

    /// Those of ours: they come in pairs, one after the other, and name a path in the project, or
    /// this folder, as earlier versions did in shared settings, too. A single one is somebody
    /// else's.
    private Set<String> rulesIn(SettingsText text) throws MalformedSettingsException {
        var found = new LinkedHashSet<String>();
        if (harness() != Harness.CLAUDE) {
            return found;
        }
        List<Json> all = text.items("permissions", "deny");
        for (int i = 0; i + 1 < all.size(); i++) {
            String read = all.get(i) instanceof Json.Str(String value) ? value : "";
            boolean shared =
                    commands.scope() == Scope.SHARED
                            && read.startsWith("Read(/")
                            && !read.startsWith("Read(//");
            String edit = read.replaceFirst("^Read\\(", "Edit(");
            if ((shared || read.startsWith("Read(" + prefix(Scope.LOCAL)))
                    && all.get(i + 1).equals(Json.of(edit))) {
                found.add(read);
                found.add(edit);
            }
        }
        return found;
    }
}
