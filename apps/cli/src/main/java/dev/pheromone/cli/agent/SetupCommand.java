package dev.pheromone.cli.agent;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.LockKind;
import dev.pheromone.hooks.Harness;
import dev.pheromone.hooks.setup.MalformedSettingsException;
import dev.pheromone.hooks.setup.Scope;
import dev.pheromone.hooks.setup.SetupFile;
import dev.pheromone.hooks.setup.SetupFiles;
import dev.pheromone.hooks.setup.UnifiedDiff;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.hive.OpenHive;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// `rsm setup`: puts our hooks, and what agents learn from, into the files of agent programs, and
/// leaves all else in them as it is.
public final class SetupCommand implements Command {

    private static final int SETTINGS_BYTES_MAX = 1024 * 1024;

    @Override
    public Spec spec() {
        return Spec.of("setup", Group.AGENTS, "installs the hooks of agent programs found here")
                .optional(
                        "HARNESS",
                        "claude, codex, gemini, copilot or opencode; else those whose folders are"
                                + " here or at home",
                        Harness.names())
                .opt(Opt.flag("dry-run", "show what would change, and change nothing"))
                .opt(Opt.flag("yes", "change it without asking"))
                .opt(
                        Opt.flag(
                                "user",
                                "in your own settings, for all projects, instead of this"
                                        + " project's"))
                .opt(
                        Opt.flag(
                                "local",
                                "in the project's settings for this machine alone; claude only"))
                .opt(Opt.flag("hooks-only", "leave AGENTS.md and skills as they are"))
                .opt(Opt.flag("check", "exit 1 unless the hooks are there as they should be"))
                .opt(Opt.flag("remove", "take our hooks out again; for people"))
                .note(
                        "It shows what changes, and asks first. The hooks ask the locks before each"
                            + " tool call, and tell the agent of its mail. The project's settings"
                            + " are shared by its team: they name rsm, which everybody there needs"
                            + " on the PATH, and no path of this machine. AGENTS.md gets a few"
                            + " lines, and a skill is added, from which agents learn rsm.")
                .note(
                        "Run it again when do-not-read locks change: Claude Code gets rules for"
                            + " them, too, and Gemini CLI a .geminiignore. --check also asks Codex"
                            + " whether you trust the hooks; only you can say so, with /hooks in"
                            + " codex.")
                .example("rsm setup --dry-run", "what would change, as a diff")
                .example("rsm setup claude --yes", "for Claude Code alone, from a script")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        boolean remove = call.args().has("remove");
        AgentSession session = call.identity().session();
        if (remove && session != null && !call.args().has("dry-run")) {
            throw new CliException(
                            ErrorCode.NOT_A_PERSON,
                            "removing hooks is for people, and this is a session of "
                                    + session.actorName())
                    .hint("ask a person to type it:")
                    .fix(call.line().toString());
        }
        if (call.args().has("user") && call.args().has("local")) {
            throw new CliException(
                    ErrorCode.USAGE, "found --user and --local, expected one of them");
        }
        if (remove && call.args().has("check")) {
            throw new CliException(
                    ErrorCode.USAGE, "found --check and --remove, expected one of them");
        }
        HiveLayout layout = TypedHive.find(call);
        LockFiles guard = OpenHive.guard(call, layout);
        List<Harness> harnesses = harnesses(call, layout);
        List<Plan> plans = plans(call, layout, guard, harnesses);
        boolean writes =
                !call.args().has("dry-run")
                        && !call.args().has("check")
                        && plans.stream().anyMatch(Plan::changes);
        boolean isShown = false;
        if (writes && !call.args().has("yes")) {
            SetupAnswer preview = answer(plans, false, false);
            if (!call.surroundings().terminal().input() || call.wantsJson()) {
                return preview.unconfirmed(call);
            }
            preview.show(call.screen());
            call.screen().flush();
            confirm(call);
            isShown = true;
        }
        for (Plan plan : writes ? plans : List.<Plan>of()) {
            if (plan.changes()) {
                new TypedFiles(call).require(plan.path(), Access.WRITE);
                if (plan.leavesNothing()) {
                    call.userFiles().remove(plan.path(), plan.after());
                } else {
                    call.userFiles().replaceText(plan.path(), plan.after());
                }
            }
        }
        SetupAnswer done = answer(plans, writes, call.args().has("check"));
        if (call.args().has("check")) {
            HookCheckup checkup = new HookCheckup(call);
            done = done.switchedOff(checkup.switchedOff());
            if (harnesses.contains(Harness.CODEX)) {
                done = done.untrusted(checkup.untrusted(layout.root()));
            }
        }
        return isShown ? done.withoutDiffs() : done;
    }

    /// What is to become of one file.
    private record Plan(
            Harness harness,
            SetupFile file,
            String before,
            String after,
            boolean current,
            boolean hooked,
            String diff,
            List<String> notes) {

        Path path() {
            return file.file();
        }

        boolean changes() {
            return !before.equals(after);
        }

        /// Whether there is no reason left for the file.
        boolean leavesNothing() {
            return changes() && file.isNothing(after);
        }
    }

    /// One for each file: programs share some.
    private static List<Plan> plans(
            Invocation call, HiveLayout layout, LockFiles guard, List<Harness> harnesses)
            throws IOException {
        List<Plan> plans = new ArrayList<>();
        Set<Path> seen = new HashSet<>();
        for (Harness harness : harnesses) {
            for (SetupFile file : setup(call, layout, guard, harness).of(harness)) {
                boolean isLearning = file.role() == SetupFile.Role.LEARNING;
                boolean isLeft =
                        isLearning
                                && (call.args().has("hooks-only")
                                        || call.args().has("check")
                                        || (call.args().has("remove")
                                                && isUsedByOthers(call, layout, harnesses)));
                if (seen.add(file.file()) && !isLeft) {
                    plans.add(plan(call, layout, harness, file));
                }
            }
        }
        return plans;
    }

    /// Whether another program than these has hooks of ours in this project, so that its agents
    /// still learn from what is there.
    private static boolean isUsedByOthers(
            Invocation call, HiveLayout layout, List<Harness> harnesses) throws IOException {
        for (Harness other : Harness.values()) {
            Path settings = layout.root().resolve(other.settings());
            if (!harnesses.contains(other)
                    && other.isAskedBy(
                            call.userFiles().textIfThere(settings, SETTINGS_BYTES_MAX))) {
                return true;
            }
        }
        return false;
    }

    private static SetupAnswer answer(List<Plan> plans, boolean isWritten, boolean isCheck) {
        List<SetupAnswer.Item> items = new ArrayList<>();
        for (Plan plan : plans) {
            items.add(
                    new SetupAnswer.Item(
                            plan.harness().toString(),
                            plan.path().toString(),
                            plan.file().role(),
                            plan.current(),
                            plan.hooked(),
                            plan.diff(),
                            isWritten && plan.changes(),
                            plan.notes()));
        }
        return new SetupAnswer(items, isCheck);
    }

    private static void confirm(Invocation call) throws IOException {
        call.prompt("write this? [y/N] ");
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(call.surroundings().in(), StandardCharsets.UTF_8));
        String typed = in.readLine();
        if (typed == null
                || !List.of("y", "yes").contains(typed.strip().toLowerCase(Locale.ROOT))) {
            throw new CliException(ErrorCode.NO_TERMINAL, "nothing was changed");
        }
    }

    private static List<Harness> harnesses(Invocation call, HiveLayout layout) {
        String typed = call.args().operand(0);
        if (typed != null) {
            return List.of(Harness.parse(typed));
        }
        List<Harness> found = new ArrayList<>();
        for (Harness harness : Harness.values()) {
            for (String folder : harness.folders()) {
                if (!found.contains(harness)
                        && (call.userFiles().isFolder(layout.root().resolve(folder))
                                || call.userFiles()
                                        .isFolder(call.surroundings().home().resolve(folder)))) {
                    found.add(harness);
                }
            }
        }
        if (found.isEmpty()) {
            throw new CliException(
                            ErrorCode.NO_SUCH_FILE,
                            "found no folder of an agent program, such as .claude, here or at"
                                    + " home")
                    .hint("name the agent program:")
                    .fix("rsm setup claude");
        }
        return found;
    }

    private static Plan plan(Invocation call, HiveLayout layout, Harness harness, SetupFile setup)
            throws IOException {
        Path file = setup.file();
        new TypedFiles(call).require(file, Access.READ);
        String before = call.userFiles().textIfThere(file, SETTINGS_BYTES_MAX);
        try {
            boolean current = setup.isCurrentIn(before);
            boolean hooked = setup.isPresentIn(before);
            boolean remove = call.args().has("remove");
            String after = remove ? setup.removedFrom(before) : setup.installedIn(before);
            return new Plan(
                    harness,
                    setup,
                    before,
                    after,
                    current,
                    hooked,
                    UnifiedDiff.of(
                            layout.nameOf(file), before, setup.isNothing(after) ? "" : after),
                    remove ? List.of() : setup.notes());
        } catch (MalformedSettingsException e) {
            throw new CliException(ErrorCode.BAD_CONFIGURATION, file + ": " + e.getMessage(), e)
                    .hint("nothing was changed; fix the file, then see what would be:")
                    .fix("rsm setup " + harness + " --dry-run");
        }
    }

    private static SetupFiles setup(
            Invocation call, HiveLayout layout, LockFiles guard, Harness harness) {
        if (call.args().has("local") && harness.localSettings().isEmpty()) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "option --local: " + harness + " has no settings for one machine")
                    .hint("in your own settings:")
                    .fix("rsm setup " + harness + " --user");
        }
        Scope scope =
                call.args().has("user")
                        ? Scope.USER
                        : call.args().has("local") ? Scope.LOCAL : Scope.SHARED;
        return new SetupFiles(
                scope,
                launcher(call),
                layout.root(),
                call.surroundings().home(),
                unreadable(guard));
    }

    private static Path launcher(Invocation call) {
        Path launcher = call.surroundings().launcher();
        if (launcher == null) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "hooks need the path of the launcher, and this was not started by it")
                    .hint("use the script rsm of the checkout");
        }
        return launcher;
    }

    private static List<String> unreadable(LockFiles guard) {
        List<String> patterns = new ArrayList<>();
        for (LockEntry entry : guard.entries()) {
            if (entry.kind() == LockKind.DNR && !entry.pattern().isEmpty()) {
                patterns.add(entry.pattern());
            }
        }
        return patterns;
    }
}
