package dev.pheromone.hooks.setup;

import dev.pheromone.hooks.Harness;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The commands that an agent program's shell runs as our hooks, and how older ones are known
/// again.
///
/// A guard fails closed: where `rsm` is missing, can't be run or ends as it should not, the shell
/// itself says no. A bell never says no.
record HookCommands(Harness harness, Scope scope, Path launcher, Path project) {
    /// How long a program waits for a guard: far longer than the hook gives itself, because some
    /// programs let the call go on when their own time is over.
    private static final long GUARD_SECONDS = 60;

    /// How long a program waits for a bell, which gives itself two seconds.
    private static final long BELL_SECONDS = 10;

    private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_./@%+-]+");

    private static final Pattern OUR_PROGRAM =
            Pattern.compile("(?<program>'(?:[^']|'\\\\'')*'|[^ '\"]+|\"[^\"]*\")(?: --root .+)?");

    /// What precedes the program where it may be missing; 0.1 wrote more between the two.
    private static final String IF_THERE = "command -v ";

    private static final String NEVER_NO = " || exit 0";
    private static final String ELSE_NO = " || { [ $? = 2 ] || echo '";

    HookCommands {
        if (!launcher.isAbsolute() || !project.isAbsolute()) {
            throw new IllegalArgumentException(
                    "launcher %s and folder %s, expected absolute paths"
                            .formatted(launcher, project));
        }
    }

    static long timeoutSeconds(Harness.Event event) {
        return event.purpose() == Harness.Purpose.GUARD ? GUARD_SECONDS : BELL_SECONDS;
    }

    /// The command for an event.
    String command(Harness.Event event) {
        String asked = program() + " hook " + harness + " " + event.name();
        String ifThere = IF_THERE + word() + " >/dev/null || exit 0; ";
        return switch (event.purpose()) {
            case GUARD -> asked + ELSE_NO + refusal() + "; exit 2; }";
            case REFUSALS, START, PROMPT, TOOL, STOP, SUBAGENT_STOP, END ->
                    ifThere + asked + NEVER_NO;
            case WAKE -> ifThere + asked;
        };
    }

    /// What the shell says where `rsm` said nothing, with the end of its quotes. Copilot reads only
    /// JSON.
    private String refusal() {
        String problem = problem();
        return harness == Harness.COPILOT
                ? "{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\""
                        + problem
                        + "\"}'"
                : problem + "' >&2";
    }

    /// One line without quotes, for a shell and for JSON.
    String problem() {
        return "rsm: blocked: rsm is not on the PATH or does not work, and it is to be asked before"
                + " each step: install Pheromone and type rsm install, or have a person take the"
                + " hook out of "
                + (scope == Scope.USER ? "~/" + harness.userSettings() : settingsName());
    }

    private String settingsName() {
        return scope == Scope.LOCAL ? harness.localSettings().orElseThrow() : harness.settings();
    }

    /// On one machine with the hive's root: an agent's shell may stand anywhere, and the locks hold
    /// all the same. Shared settings name neither; there the agent program tells where its project
    /// is.
    private String program() {
        return scope == Scope.LOCAL ? word() + " --root " + word(project) : word();
    }

    /// How the launcher is called: by its name, where teams share the settings.
    String word() {
        return scope == Scope.SHARED ? "rsm" : word(launcher);
    }

    private static String word(Path path) {
        String text = path.toString();
        return PLAIN_WORD.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /// Whether a command is one of ours for this event, of this version or an older one.
    boolean isOurs(String command, Harness.Event event) {
        String asked = " hook " + harness + " " + event.name();
        int at = command.indexOf(asked);
        if (at < 0) {
            return false;
        }
        String after = command.substring(at + asked.length());
        if (!after.isEmpty() && !after.equals(NEVER_NO) && !after.startsWith(ELSE_NO)) {
            return false;
        }
        String before = command.substring(0, at);
        if (before.startsWith(IF_THERE)) {
            before = before.substring(before.lastIndexOf("; ") + 2);
        }
        Matcher words = OUR_PROGRAM.matcher(before);
        if (!words.matches()) {
            return false;
        }
        String program = words.group("program");
        String name = program.replaceAll("^['\"]|['\"]$", "").replaceAll(".*[/\\\\]", "");
        Path ours = launcher.getFileName();
        return name.equals("rsm") || (ours != null && name.equals(ours.toString()));
    }

    /// What a person should know, a line each.
    List<String> notes() {
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
            case GEMINI -> {
                if (scope != Scope.USER) {
                    notes.add(
                            "gemini --skip-trust, and a folder that you don't trust, leave the"
                                    + " project's hooks out: rsm setup gemini --user holds there,"
                                    + " too");
                }
            }
            case COPILOT -> {
                if (scope != Scope.USER) {
                    notes.add(
                            "copilot leaves the project's hooks out in a folder that you don't"
                                    + " trust: rsm setup copilot --user holds there, too");
                }
            }
            case OPENCODE -> {}
        }
        if (scope == Scope.SHARED) {
            notes.add(
                    "whoever works here needs rsm on the PATH (rsm install); without it every step"
                            + " is blocked");
        }
        return notes;
    }
}
