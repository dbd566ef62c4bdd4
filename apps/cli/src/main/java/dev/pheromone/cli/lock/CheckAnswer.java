package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Locked;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// The verdicts on some paths, in the order in which they were typed.
record CheckAnswer(List<Item> items) implements Answer {

    /// One path as it was typed, and what may be done to it.
    record Item(String path, Access access, Verdict verdict, boolean isInHive) {

        boolean isAllowed() {
            return !(verdict instanceof Verdict.Blocked);
        }

        private Json.Obj json() {
            Json.Obj json =
                    Json.obj()
                            .put("path", path)
                            .put("access", word(access))
                            .put("allowed", isAllowed());
            if (verdict instanceof Verdict.Blocked blocked) {
                return json.put("lock", blocked.lock().kind().toString())
                        .put("reason", blocked.reason())
                        .put("declared_in", blocked.lock().declaredIn());
            }
            return json.put("lock", Json.Null.NULL)
                    .put("reason", isInHive ? Json.Null.NULL : Json.of("no hive here"))
                    .put("declared_in", Json.Null.NULL);
        }
    }

    static String word(Access access) {
        return access == Access.READ ? "read" : access == Access.WRITE ? "write" : "erase";
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
            String path = SafeText.line(item.path());
            if (item.verdict() instanceof Verdict.Blocked blocked) {
                screen.line(
                        path
                                + ": "
                                + screen.styled(Style.RED, "locked")
                                + " ("
                                + blocked.lock().kind()
                                + ", "
                                + SafeText.line(blocked.lock().declaredIn())
                                + ")");
            } else {
                screen.line(
                        path
                                + ": "
                                + screen.styled(Style.GREEN, "free")
                                + " to "
                                + word(item.access()));
            }
        }
    }

    /// The paths that are locked.
    @Override
    public void showBriefly(Screen screen) {
        for (Item item : items) {
            if (!item.isAllowed()) {
                screen.line(SafeText.line(item.path()));
            }
        }
    }

    @Override
    public @Nullable CliException failure() {
        int locked = 0;
        boolean areScopes = true;
        Item first = null;
        for (Item item : items) {
            if (item.verdict() instanceof Verdict.Blocked(var lock, var _)) {
                first = first == null ? item : first;
                areScopes &= Locked.isScope(lock);
                locked++;
            }
        }
        if (first == null || !(first.verdict() instanceof Verdict.Blocked blocked)) {
            return null;
        }
        if (locked == 1) {
            return Locked.path(blocked.lock(), blocked.reason(), first.path());
        }
        CliException several =
                new CliException(
                        ErrorCode.WITHHELD, locked + " of " + items.size() + " paths are locked");
        return areScopes
                ? several.hint("others are at work on them; they are free when that is done")
                : several.hint("what is locked, and why:").fix("rsm lock");
    }
}
