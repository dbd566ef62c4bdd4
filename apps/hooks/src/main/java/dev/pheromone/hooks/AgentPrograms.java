package dev.pheromone.hooks;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Agent programs started by an agent. Their sessions call the hook by themselves, unless the
/// command switches hooks off or has the settings with our hook left out: that is for people.
final class AgentPrograms {

    /// Each by the names of its command and its packages.
    private static final Map<String, Harness> NAMES =
            Map.of(
                    "claude", Harness.CLAUDE,
                    "@anthropic-ai/claude-code", Harness.CLAUDE,
                    "codex", Harness.CODEX,
                    "@openai/codex", Harness.CODEX,
                    "gemini", Harness.GEMINI,
                    "@google/gemini-cli", Harness.GEMINI,
                    "copilot", Harness.COPILOT,
                    "@github/copilot", Harness.COPILOT,
                    "opencode", Harness.OPENCODE,
                    "opencode-ai", Harness.OPENCODE);

    private static final Set<String> PACKAGE_RUNNERS =
            Set.of("npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun");

    /// Variables that lead to other settings, or switch hooks off.
    private static final List<String> VARIABLES =
            List.of(
                    "HOME",
                    "CLAUDE_CONFIG_DIR",
                    "CLAUDE_CODE_SIMPLE",
                    "CLAUDE_CODE_SAFE_MODE",
                    "CODEX_HOME",
                    "GEMINI_CLI_HOME",
                    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
                    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
                    "COPILOT_HOME",
                    "OPENCODE_CONFIG_DIR",
                    "OPENCODE_PURE");

    private static final Set<String> CLAUDE_SOURCES = Set.of("user", "project", "local");
    private static final String CLAUDE_SWITCH = "disableAllHooks";

    /// Codex's switch in the forms of its configuration: `features.hooks=false`, a table, or one of
    /// its older names.
    private static final Pattern CODEX_SWITCH = Pattern.compile("features\\b.*hooks|^hooks\\b");

    private AgentPrograms() {}

    /// Notes what a command of these words would do that is for people.
    static void note(List<Shape> command, ShellState state, TouchLog log) {
        int at = programIndex(command);
        if (at < 0) {
            return;
        }
        Harness harness = harness(command.get(at));
        List<Shape> arguments = command.subList(at + 1, command.size());
        for (String variable : VARIABLES) {
            if (state.isChanged(variable)) {
                log.forPeople("starting " + harness + " with another " + variable);
            }
        }
        boolean isWithoutHooks =
                switch (harness) {
                    case CLAUDE -> isClaudeWithoutHooks(arguments);
                    case CODEX -> isCodexWithoutHooks(arguments);
                    // Without trust the project's hooks are left out.
                    case GEMINI ->
                            names(arguments, "--skip-trust")
                                    || (names(arguments, "hooks") && names(arguments, "disable"));
                    case COPILOT -> names(arguments, "--config-dir");
                    case OPENCODE -> names(arguments, "--pure");
                };
        if (isWithoutHooks) {
            log.forPeople("starting " + harness + " without its hooks");
        }
    }

    private static int programIndex(List<Shape> command) {
        String first = command.getFirst().name().toString();
        if (!PACKAGE_RUNNERS.contains(first)) {
            return NAMES.containsKey(first) && command.getFirst().isPlain() ? 0 : -1;
        }
        for (int i = 1; i < command.size(); i++) {
            if (NAMES.containsKey(withoutVersion(command.get(i)))) {
                return i;
            }
        }
        return -1;
    }

    private static Harness harness(Shape word) {
        Harness byPackage = NAMES.get(withoutVersion(word));
        return byPackage != null
                ? byPackage
                : NAMES.getOrDefault(word.name().toString(), Harness.CLAUDE);
    }

    /// `@openai/codex@latest` is a version of a package.
    private static String withoutVersion(Shape word) {
        return word.toString().replaceFirst("(?<=.)@.*", "");
    }

    private static boolean isClaudeWithoutHooks(List<Shape> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            Shape argument = arguments.get(i);
            if (argument.is("--bare") || argument.is("--safe-mode")) {
                return true;
            }
            if (isOption(argument, "--settings") && !isHarmless(value(arguments, i))) {
                return true;
            }
            if (isOption(argument, "--setting-sources")) {
                Shape sources = value(arguments, i);
                if (!sources.isPlain()
                        || !List.of(sources.toString().split("[, ]+", -1))
                                .containsAll(CLAUDE_SOURCES)) {
                    return true;
                }
            }
        }
        return names(arguments, "config")
                && arguments.stream().anyMatch(word -> word.is(CLAUDE_SWITCH));
    }

    /// Whether settings are a text without the switch. Of a file nobody knows what it says when the
    /// program starts.
    private static boolean isHarmless(Shape settings) {
        return settings.isPlain()
                && settings.toString().strip().startsWith("{")
                && !settings.toString().contains(CLAUDE_SWITCH)
                && settings.toString().indexOf('\\') < 0;
    }

    private static boolean isCodexWithoutHooks(List<Shape> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            Shape argument = arguments.get(i);
            boolean config = isOption(argument, "-c") || isOption(argument, "--config");
            Shape value = value(arguments, i);
            if (config && (!value.isPlain() || CODEX_SWITCH.matcher(value.toString()).find())) {
                return true;
            }
            if (isOption(argument, "--disable") && mayNameHooks(value)) {
                return true;
            }
        }
        return names(arguments, "features")
                && names(arguments, "disable")
                && arguments.stream().anyMatch(AgentPrograms::mayNameHooks);
    }

    private static boolean mayNameHooks(Shape word) {
        return !word.isPlain() || word.toString().endsWith("hooks");
    }

    private static boolean isOption(Shape argument, String option) {
        return argument.is(option)
                || argument.startsWith(option + "=")
                || (option.length() == 2
                        && argument.startsWith(option)
                        && !argument.startsWith("--"));
    }

    /// What an option is given: after its sign, or as the next word.
    private static Shape value(List<Shape> arguments, int at) {
        Shape argument = arguments.get(at);
        int sign = argument.indexOf('=', 0);
        if (argument.startsWith("--") && sign > 0) {
            return argument.from(sign + 1);
        }
        if (!argument.startsWith("--") && argument.length() > 2) {
            return argument.from(argument.startsWith("-c=") ? 3 : 2);
        }
        return at + 1 < arguments.size() ? arguments.get(at + 1) : Shape.EMPTY;
    }

    private static boolean names(List<Shape> arguments, String word) {
        return arguments.stream().anyMatch(argument -> argument.is(word));
    }
}
