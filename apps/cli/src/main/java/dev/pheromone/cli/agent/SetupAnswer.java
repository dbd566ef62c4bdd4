package dev.pheromone.cli.agent;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.hooks.setup.SetupFile;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What became of the hooks of some agent programs.
///
/// @param problem why nothing was changed, though it was to be, or why what is there does not help;
///   null if there is no reason
/// @param isShown whether people have seen the changes already
record SetupAnswer(
        List<Item> items, boolean isCheck, @Nullable CliException problem, boolean isShown)
        implements Answer {

    SetupAnswer(List<Item> items, boolean isCheck) {
        this(items, isCheck, null, false);
    }

    /// The same, shown where nobody can be asked.
    SetupAnswer unconfirmed(Invocation call) {
        return new SetupAnswer(
                items,
                isCheck,
                new CliException(
                                ErrorCode.NO_TERMINAL,
                                "nothing was changed yet: there is no terminal to ask at")
                        .hint("if this is to be written:")
                        .fix(call.line().plus("--yes").toString()),
                false);
    }

    /// The same, where hooks are there and switched off in these files.
    SetupAnswer switchedOff(List<Path> files) {
        return files.isEmpty()
                ? this
                : new SetupAnswer(
                        items,
                        isCheck,
                        new CliException(
                                        ErrorCode.NOT_INSTALLED,
                                        "hooks are switched off in " + files.getFirst())
                                .hint("take the switch out"),
                        isShown);
    }

    /// The same, where codex does not run our hooks, for this reason; empty if it does, or nobody
    /// can tell.
    SetupAnswer untrusted(String reason) {
        return reason.isEmpty() || problem != null
                ? this
                : new SetupAnswer(
                        items,
                        isCheck,
                        new CliException(ErrorCode.NOT_INSTALLED, reason)
                                .hint("only you can trust them: type /hooks in codex"),
                        isShown);
    }

    /// The same, for people who have seen the changes.
    SetupAnswer withoutDiffs() {
        return new SetupAnswer(items, isCheck, problem, true);
    }

    /// @param current whether the hook was there before, as it should be
    /// @param hooked whether the hook was there, perhaps with rules that are out of date
    /// @param diff what changes in the file, or would change
    /// @param written whether it was changed
    record Item(
            String harness,
            String file,
            SetupFile.Role role,
            boolean current,
            boolean hooked,
            String diff,
            boolean written,
            List<String> notes) {

        private Json.Obj json() {
            return Json.obj()
                    .put("harness", harness)
                    .put("file", file)
                    .put("current", current)
                    .put("written", written)
                    .put("diff", diff)
                    .putTexts("notes", notes);
        }
    }

    @Override
    public Json.Obj json() {
        List<Json> all = new ArrayList<>();
        for (Item item : items) {
            all.add(item.json());
        }
        return ListAnswer.whole(all);
    }

    @Override
    public void show(Screen screen) {
        for (Item item : items) {
            String file = SafeText.line(item.file());
            if (item.diff().isEmpty()) {
                screen.line(item.harness() + ": nothing to change in " + file);
                continue;
            }
            if (!isShown) {
                screen.text(SafeText.block(item.diff()));
            }
            screen.line(
                    item.harness() + (item.written() ? ": changed " : ": would change ") + file);
            if (item.written()) {
                for (String note : item.notes()) {
                    screen.line(item.harness() + ": " + SafeText.line(note));
                }
            }
        }
    }

    @Override
    public void showBriefly(Screen screen) {
        for (Item item : items) {
            if (!item.diff().isEmpty()) {
                screen.line(SafeText.line(item.file()));
            }
        }
    }

    @Override
    public @Nullable CliException failure() {
        CliException first = notInstalled();
        return first == null ? problem : first;
    }

    private @Nullable CliException notInstalled() {
        List<String> missing = new ArrayList<>();
        List<String> outdated = new ArrayList<>();
        for (Item item : items) {
            if (isCheck && !item.current()) {
                switch (item.role()) {
                    case HOOK -> (item.hooked() ? outdated : missing).add(item.harness());
                    case RULES -> outdated.add(item.harness());
                    // What agents learn from keeps nothing out.
                    case LEARNING -> {}
                }
            }
        }
        if (missing.isEmpty() && outdated.isEmpty()) {
            return null;
        }
        String found =
                missing.isEmpty()
                        ? "the rules of "
                                + String.join(", ", outdated)
                                + " are not those of the do-not-read locks in force"
                        : "the hook of "
                                + String.join(", ", missing)
                                + " is not there as it should be";
        return new CliException(ErrorCode.NOT_INSTALLED, found)
                .fix("rsm setup " + (missing.isEmpty() ? outdated : missing).getFirst());
    }
}
