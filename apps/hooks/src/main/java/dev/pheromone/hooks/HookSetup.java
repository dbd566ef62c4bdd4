package dev.pheromone.hooks;

import dev.pheromone.text.Json;

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
///
/// Settings that a team shares name `rsm` and no path of one machine. Where there is no `rsm`, the
/// hook blocks and says what to do: a lock must not end where it is not understood.
public final class HookSetup {
    /// How long a hook may take: far longer than it does, on a machine that is busy building.
    private static final int TIMEOUT_S = 15;

    private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_./@%+-]+");

    private static final Pattern OUR_COMMAND =
            Pattern.compile("(?<program>'(?:[^']|'\\\\'')*'|[^ '\"]+|\"[^\"]*\")(?: --root .+)?");

    /// The beginning of the command in shared settings.
    private static final String IF_THERE = "command -v rsm >/dev/null || ";

    private final Harness harness;
    private final Path launcher;
    private final Path folder;
    private final Where where;
    private final List<String> unreadable;

    private enum Where {
        /// The project's settings, which are in its repository.
        SHARED,
        /// The project's settings for one machine.
        LOCAL,
        /// The user's settings, for all projects.
        USER
    }

    /// A setup for everybody who works in the project in the folder `project`. The launcher at this
    /// absolute path is not named in it, but known as ours where an earlier version named it.
    /// `unreadable` are the patterns that are locked against reading, relative to the project.
    public HookSetup(Harness harness, Path launcher, Path project, List<String> unreadable) {
        this(harness, launcher, project, Where.SHARED, unreadable);
    }

    private HookSetup(
            Harness harness, Path launcher, Path folder, Where where, List<String> unreadable) {
        if (!launcher.isAbsolute() || !folder.isAbsolute()) {
            throw new IllegalArgumentException(
                    "launcher %s and folder %s, expected absolute paths"
                            .formatted(launcher, folder));
        }
        this.harness = harness;
        this.launcher = launcher;
        this.folder = folder;
        this.where = where;
        this.unreadable = List.copyOf(unreadable);
    }

    /// A setup for all projects of the user with this home folder: each call asks the locks of the
    /// hive where it is made, if there is one.
    public static HookSetup ofUser(Harness harness, Path launcher, Path home) {
        return new HookSetup(harness, launcher, home, Where.USER, List.of());
    }

    /// A setup for the project in this folder on one machine alone, with the launcher's path.
    public static HookSetup ofMachine(
            Harness harness, Path launcher, Path project, List<String> unreadable) {
        return new HookSetup(harness, launcher, project, Where.LOCAL, unreadable);
    }

    /// The file to edit.
    public Path file() {
        return folder.resolve(
                where == Where.LOCAL ? harness.localSettings().orElseThrow() : harness.settings());
    }

    /// What a person should know, a line each.
    public List<String> notes() {
        var notes = new ArrayList<String>();
        switch (harness) {
            case CLAUDE ->
                    notes.add(
                            "a hook that fails blocks the tool from Claude Code 2.1.295 on, not"
                                    + " before");
            case CODEX ->
                    notes.add(
                            "codex runs a new or changed hook only after you trust it: type /hooks"
                                    + " in codex");
            case GEMINI -> {}
        }
        if (where == Where.SHARED) {
            notes.add(
                    "whoever works here needs rsm on the PATH (rsm install); without it every step"
                            + " is blocked");
        }
        return notes;
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
            text = text.append(Json.of(rule), "permissions", "deny");
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
        if (command.startsWith(IF_THERE)) {
            return true;
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

    /// On one machine with the hive's root: an agent's shell may stand anywhere, and the locks hold
    /// all the same. Shared settings name neither; there the agent program tells where its project
    /// is.
    private String command() {
        String hook = " hook " + harness + " " + harness.event();
        return switch (where) {
            case SHARED ->
                    IF_THERE
                            + "{ echo 'rsm is not on the PATH, and this project has it asked before"
                            + " each step: install Pheromone and type rsm install, or have a person"
                            + " take the hook out of "
                            + harness.settings()
                            + "' >&2; exit 2; }; rsm"
                            + hook;
            case LOCAL -> word(launcher) + " --root " + word(folder) + hook;
            case USER -> word(launcher) + hook;
        };
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
                    rules.add("Read(" + prefix(where) + path + ")");
                    rules.add("Edit(" + prefix(where) + path + ")");
                }
            }
        }
        return rules;
    }

    /// One slash begins a path in the project, two an absolute one.
    private String prefix(Where place) {
        return place == Where.SHARED
                ? "/"
                : "/" + folder.toString().replaceAll("([\\[\\]*?\\\\!])", "\\\\$1") + "/";
    }

    /// Those of ours: they come in pairs, one after the other, and name a path in the project, or
    /// this folder, as earlier versions did in shared settings, too. A single one is somebody
    /// else's.
    private Set<String> rulesIn(SettingsText text) throws MalformedSettingsException {
        var found = new LinkedHashSet<String>();
        if (harness != Harness.CLAUDE || where == Where.USER) {
            return found;
        }
        List<Json> all = text.items("permissions", "deny");
        for (int i = 0; i + 1 < all.size(); i++) {
            String read = all.get(i) instanceof Json.Str(String value) ? value : "";
            boolean shared =
                    where == Where.SHARED
                            && read.startsWith("Read(/")
                            && !read.startsWith("Read(//");
            String edit = read.replaceFirst("^Read\\(", "Edit(");
            if ((shared || read.startsWith("Read(" + prefix(Where.LOCAL)))
                    && all.get(i + 1).equals(Json.of(edit))) {
                found.add(read);
                found.add(edit);
            }
        }
        return found;
    }
}
