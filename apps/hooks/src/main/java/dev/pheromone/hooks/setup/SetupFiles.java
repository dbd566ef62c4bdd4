package dev.pheromone.hooks.setup;

import dev.pheromone.hooks.Harness;
import dev.pheromone.text.Json;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Which files an agent program gets, and what is to stand in them.
public final class SetupFiles {
    private static final String BLOCK_BEGIN = "<!-- rsm: begin -->";
    private static final String BLOCK_END = "<!-- rsm: end -->";
    private static final String RULES_BEGIN = "# rsm: begin";
    private static final String RULES_END = "# rsm: end";

    /// The file in which most programs look for what agents should know of a project.
    private static final String AGENTS_FILE = "AGENTS.md";

    private static final String IGNORED_BY_GEMINI = ".geminiignore";

    private final Scope scope;
    private final Path launcher;
    private final Path project;
    private final Path home;
    private final List<String> unreadable;

    /// @param launcher named in settings of one machine, and known as ours where an earlier version
    ///   named it
    /// @param unreadable the patterns that are locked against reading, relative to the project
    public SetupFiles(
            Scope scope, Path launcher, Path project, Path home, List<String> unreadable) {
        this.scope = scope;
        this.launcher = launcher;
        this.project = project;
        this.home = home;
        this.unreadable = List.copyOf(unreadable);
    }

    /// The files of a program: the one with the hooks first, then rules, then what agents learn
    /// from.
    public List<SetupFile> of(Harness harness) {
        List<SetupFile> files = new ArrayList<>();
        files.add(hooks(harness));
        if (harness == Harness.GEMINI) {
            files.add(ignored());
        }
        // Other settings than the project's are nobody else's business.
        if (scope == Scope.SHARED) {
            String skills = harness == Harness.CLAUDE ? ".claude" : ".agents";
            files.add(
                    new OwnFile(
                            project.resolve(skills + "/skills/rsm/SKILL.md"),
                            SetupFile.Role.LEARNING,
                            AgentTexts.SKILL,
                            AgentTexts.SKILL_MARK,
                            List.of()));
            files.add(
                    new MarkedBlock(
                            project.resolve(AGENTS_FILE),
                            SetupFile.Role.LEARNING,
                            BLOCK_BEGIN,
                            BLOCK_END,
                            AgentTexts.BLOCK));
        }
        return files;
    }

    private SetupFile hooks(Harness harness) {
        HookCommands commands = new HookCommands(harness, scope, launcher, project);
        Path file =
                switch (scope) {
                    case SHARED -> project.resolve(harness.settings());
                    case LOCAL -> project.resolve(harness.localSettings().orElseThrow());
                    case USER -> home.resolve(harness.userSettings());
                };
        return switch (harness) {
            case CLAUDE, CODEX, GEMINI -> new HookSetup(commands, file, project, unreadable);
            case COPILOT -> ownHooks(commands, file, copilot(commands));
            case OPENCODE -> ownHooks(commands, file, OpenCodePlugin.text(commands));
        };
    }

    private static SetupFile ownHooks(HookCommands commands, Path file, String text) {
        String mark = " hook " + commands.harness() + " " + commands.harness().event();
        return new OwnFile(file, SetupFile.Role.HOOK, text, mark, commands.notes());
    }

    /// A file of Copilot's form, which takes one for each set of hooks.
    private static String copilot(HookCommands commands) {
        try {
            SettingsText text = SettingsText.parse("").with("\"version\": ", Json.of(1));
            for (Harness.Event event : commands.harness().events()) {
                Json.Obj handler =
                        Json.obj()
                                .put("type", "command")
                                .put("bash", commands.command(event))
                                .put("timeoutSec", HookCommands.timeoutSeconds(event));
                text = text.append(handler, "hooks", event.name());
            }
            return text.toString();
        } catch (MalformedSettingsException e) {
            throw new IllegalStateException(e);
        }
    }

    /// What Gemini may not read by itself, such as a path in a prompt, of which no hook hears.
    private SetupFile ignored() {
        var lines = new StringBuilder();
        for (String path : UnreadablePaths.below(unreadable)) {
            lines.append('/').append(path).append('\n');
        }
        return new MarkedBlock(
                project.resolve(IGNORED_BY_GEMINI),
                SetupFile.Role.RULES,
                RULES_BEGIN,
                RULES_END,
                lines.toString());
    }
}
