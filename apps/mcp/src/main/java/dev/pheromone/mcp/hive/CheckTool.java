package dev.pheromone.mcp.hive;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.PathCheck;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `check`: may these paths be touched?
final class CheckTool implements Tool {

    private static final int PATHS_MAX = 100;

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        String mode = said.text("mode");
        Access access = mode == null ? Access.WRITE : Access.valueOf(mode.toUpperCase(Locale.ROOT));
        List<String> paths = said.texts("paths");
        if (paths.isEmpty() || paths.size() > PATHS_MAX) {
            throw new ProblemException(
                    Code.USAGE, "paths: found " + paths.size() + ", expected 1 to " + PATHS_MAX);
        }
        StringBuilder text = new StringBuilder();
        List<Json> items = new ArrayList<>();
        boolean isFree = true;
        for (String path : paths) {
            PathCheck.Checked checked = session.check(resolved(path, setting), access);
            boolean isAllowed = !(checked.verdict() instanceof Verdict.Blocked);
            isFree &= isAllowed;
            Json.Obj item = Json.obj().put("path", path).put("allowed", isAllowed);
            text.append(ShownText.line(path)).append(": ");
            if (checked.verdict() instanceof Verdict.Blocked(var lock, var reason)) {
                item =
                        item.put("lock", lock.kind().toString())
                                .put("reason", ShownText.line(reason));
                text.append("NOT allowed, ")
                        .append(lock.kind())
                        .append(": ")
                        .append(ShownText.line(reason));
            } else {
                text.append("allowed");
                String work = checked.work();
                if (work != null) {
                    item = item.put("warning", ShownText.line(work));
                    text.append(", but ").append(ShownText.line(work)).append("; ask first");
                }
            }
            text.append('\n');
            items.add(item);
        }
        if (!isFree) {
            text.append("a person sets and lifts locks; do not work around them\n");
        }
        return Told.of(
                text.toString(), Json.obj().put("allowed", isFree).put("items", Json.arr(items)));
    }

    private static Path resolved(String typed, Setting setting) {
        Path path;
        try {
            path = setting.folder().resolve(typed);
        } catch (InvalidPathException e) {
            throw new ProblemException(Code.USAGE, "paths: \"" + typed + "\" is no path", e);
        }
        if (!setting.isNear() && !path.normalize().startsWith(setting.folder())) {
            throw new ProblemException(
                    Code.USAGE, "paths: \"" + typed + "\", expected one in the project");
        }
        return path;
    }
}
