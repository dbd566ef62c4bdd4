package dev.pheromone.hooks;

import dev.pheromone.Json;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The installation of our hook in an agent program's settings: text in, text out. What is ours is
/// known by the command that it runs and by the folder that its rules name; nothing else is
/// touched.
public final class HookSetup {
    /// How long a hook may take: far longer than it does, on a machine that is busy building.
    private static final int TIMEOUT_S = 15;

    private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_./@%+-]+");

    private static final Pattern OUR_COMMAND =
            Pattern.compile("(?<program>'(?:[^']|'\\\\'')*'|[^ '\"]+|\"[^\"]*\")(?: --root .+)?");

    private final Harness harness;
    private final Path launcher;
    private final Path folder;
    private final @Nullable Path project;
    private final List<String> unreadable;

    /// A setup for the project in the folder `project`, with the launcher at this absolute path.
    /// `unreadable` are the patterns that are locked against reading, relative to the project.
    public HookSetup(Harness harness, Path launcher, Path project, List<String> unreadable) {
        this(harness, launcher, project, project, unreadable);
    }

    private HookSetup(
            Harness harness,
            Path launcher,
            Path folder,
            @Nullable Path project,
            List<String> unreadable) {
        if (!launcher.isAbsolute() || !folder.isAbsolute()) {
            throw new IllegalArgumentException(
                    "launcher %s and folder %s, expected absolute paths"
                            .formatted(launcher, folder));
        }
        this.harness = harness;
        this.launcher = launcher;
        this.folder = folder;
        this.project = project;
        this.unreadable = List.copyOf(unreadable);
    }

    /// A setup for all projects of the user with this home folder: each call asks the locks of the
    /// hive where it is made, if there is one.
    public static HookSetup ofUser(Harness harness, Path launcher, Path home) {
        return new HookSetup(harness, launcher, home, null, List.of());
    }

    /// The file to edit.
    public Path file() {
        return folder.resolve(harness.settings());
    }

    /// What a person should know, a line each.
    public List<String> notes() {
        return switch (harness) {
            case CLAUDE ->
                    List.of(
                            "a hook that fails blocks the tool from Claude Code 2.1.295 on, not"
                                    + " before");
            case CODEX ->
                    List.of(
                            "codex runs a new or changed hook only after you trust it: type /hooks"
                                    + " in codex");
            case GEMINI -> List.of();
        };
    }

    /// The settings with our hook and rules in them, and no older ones of ours; the same text if
    /// they are there already. A file that does not exist is the empty text.
    public String installedIn(String settings) throws MalformedSettingsException {
        if (isCurrentIn(settings)) {
            return settings;
        }
        String bare = settings.isBlank() ? settings : removedFrom(settings);
        Json group = Json.obj().put("hooks", Json.arr(handler()));
        SettingsText text = SettingsText.parse(bare).append(group, "hooks", harness.event());
        for (String rule : rules()) {
            if (harness == Harness.CLAUDE
                    && !text.items("permissions", "deny").contains(Json.of(rule))) {
                text = text.append(Json.of(rule), "permissions", "deny");
            }
        }
        return text.toString();
    }

    /// Whether our hook and rules are there, as they would be installed now.
    public boolean isCurrentIn(String settings) throws MalformedSettingsException {
        return hasHookIn(settings) && rulesIn(SettingsText.parse(settings)).equals(rules());
    }

    /// Whether our hook is there, as it would be installed now; the rules may be older ones.
    public boolean hasHookIn(String settings) throws MalformedSettingsException {
        SettingsText text = SettingsText.parse(settings);
        var handlers = new ArrayList<Json>();
        for (Json group : groups(text)) {
            for (Json handler : handlers(group)) {
                if (isOurs(handler)) {
                    handlers.add(handler);
                }
            }
        }
        return handlers.equals(List.of(handler()));
    }

    /// Whether these settings say nothing, and look like a file that was made for our hook.
    public static boolean isBare(String settings) {
        return settings.equals(SettingsText.NEW);
    }

    /// The settings without what we added.
    public String removedFrom(String settings) throws MalformedSettingsException {
        if (settings.isBlank()) {
            return settings;
        }
        SettingsText text = SettingsText.parse(settings);
        List<Json> groups = groups(text);
        for (int i = groups.size() - 1; i >= 0; i--) {
            List<Json> kept = handlers(groups.get(i)).stream().filter(one -> !isOurs(one)).toList();
            boolean shared = !kept.isEmpty() && kept.size() < handlers(groups.get(i)).size();
            if (shared && groups.get(i) instanceof Json.Obj group) {
                text =
                        text.replace(
                                i, group.put("hooks", Json.arr(kept)), "hooks", harness.event());
            }
        }
        text =
                text.without(
                        group ->
                                !handlers(group).isEmpty()
                                        && handlers(group).stream().allMatch(this::isOurs),
                        "hooks",
                        harness.event());
        Set<String> rules = rulesIn(text);
        if (rules.isEmpty()) {
            return text.toString();
        }
        return text.without(
                        rule -> rule instanceof Json.Str(String value) && rules.contains(value),
                        "permissions",
                        "deny")
                .toString();
    }

    private List<Json> groups(SettingsText text) throws MalformedSettingsException {
        return text.items("hooks", harness.event());
    }

    private static List<Json> handlers(Json group) {
        return group instanceof Json.Obj object
                        && object.get("hooks").orElse(Json.obj()) instanceof Json.Arr(var items)
                ? items
                : List.of();
    }

    private boolean isOurs(Json handler) {
        if (!(handler instanceof Json.Obj object)) {
            return false;
        }
        String command = object.optionalText("command").orElse("");
        String ending = " hook " + harness + " " + harness.event();
        if (!command.endsWith(ending)) {
            return false;
        }
        Matcher words =
                OUR_COMMAND.matcher(command.substring(0, command.length() - ending.length()));
        if (!words.matches()) {
            return false;
        }
        String program = words.group("program");
        String name = program.replaceAll("^['\"]|['\"]$", "").replaceAll(".*[/\\\\]", "");
        Path ours = launcher.getFileName();
        return name.equals("rsm") || (ours != null && name.equals(ours.toString()));
    }

    private Json.Obj handler() {
        Json.Obj handler = Json.obj().put("type", "command").put("command", command());
        return switch (harness) {
            case CLAUDE -> handler.put("timeout", TIMEOUT_S).put("onFailure", "block");
            case CODEX -> handler.put("timeout", TIMEOUT_S);
            case GEMINI -> handler.put("timeout", TIMEOUT_S * 1000L);
        };
    }

    /// With the hive's root: an agent's shell may stand anywhere, and the locks hold all the same.
    private String command() {
        return word(launcher)
                + (project == null ? "" : " --root " + word(project))
                + " hook "
                + harness
                + " "
                + harness.event();
    }

    private static String word(Path path) {
        String text = path.toString();
        return PLAIN_WORD.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /// Only these two kinds are looked at for paths; writing is covered by `Edit`.
    private Set<String> rules() {
        var rules = new LinkedHashSet<String>();
        if (harness == Harness.CLAUDE) {
            for (String pattern : unreadable) {
                for (String single : PathShapes.withoutBraces(pattern)) {
                    String below = single.replaceAll("^(?:\\./|/)+|/+$", "");
                    String path = below.isEmpty() || below.equals(".") ? "**" : below;
                    rules.add("Read(" + prefix() + path + ")");
                    rules.add("Edit(" + prefix() + path + ")");
                }
            }
        }
        return rules;
    }

    /// Two slashes begin an absolute path.
    private String prefix() {
        return "/" + folder.toString().replaceAll("([\\[\\]*?\\\\!])", "\\\\$1") + "/";
    }

    /// Those of ours: they name this folder, and come in pairs. A single one is somebody else's.
    private Set<String> rulesIn(SettingsText text) throws MalformedSettingsException {
        var found = new LinkedHashSet<String>();
        if (harness != Harness.CLAUDE || project == null) {
            return found;
        }
        List<Json> all = text.items("permissions", "deny");
        for (Json rule : all) {
            String value = rule instanceof Json.Str(String rest) ? rest : "";
            String read = value.replaceFirst("^(?:Read|Edit)\\(", "Read(");
            String edit = value.replaceFirst("^(?:Read|Edit)\\(", "Edit(");
            if (read.startsWith("Read(" + prefix())
                    && all.contains(Json.of(read))
                    && all.contains(Json.of(edit))) {
                found.add(value);
            }
        }
        return found;
    }
}
