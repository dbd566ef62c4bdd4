package dev.pheromone.cli;

import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.lock.Locksmith;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/// A lock that was set.
record LockAnswer(
        String kind,
        String pattern,
        String reason,
        @Nullable Instant expires,
        Locksmith.Placed placed)
        implements Answer {

    @Override
    public Json.Obj json() {
        return Json.obj()
                .put("kind", kind)
                .put("pattern", pattern)
                .put("reason", reason)
                .put("expires_at", expires == null ? Json.Null.NULL : time(expires))
                .put("declared_in", placed.declaredIn())
                .put("new", placed.isNew())
                .put("quiet", placed.isQuiet());
    }

    static Json time(Instant time) {
        return Json.of(IsoTime.format(time));
    }

    @Override
    public void show(Screen screen) {
        StringBuilder line = new StringBuilder();
        if (kind.equals(LockWhat.HIVE)) {
            line.append(placed.isNew() ? "the hive is locked" : "the hive was locked already");
            line.append(reason.isEmpty() ? "" : ": " + SafeText.line(reason));
        } else {
            line.append(kind).append(' ').append(SafeText.line(pattern)).append(" is locked");
            line.append(reason.isEmpty() ? "" : ": " + SafeText.line(reason));
            line.append(expires == null ? "" : ", ends " + Ages.relative(expires, screen.now()));
        }
        screen.line(line.toString());
        screen.line("declared in " + SafeText.line(placed.declaredIn()));
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line(SafeText.line(placed.declaredIn()));
    }

    private String who() {
        List<String> processes = placed.inside().stream().map(id -> "process " + id).toList();
        return processes.isEmpty() ? "somebody" : String.join(" and ", processes);
    }

    @Override
    public @Nullable CliException failure() {
        return placed.isQuiet()
                ? null
                : new CliException(
                                ErrorCode.NOT_QUIET,
                                "the lock is set and stays, but "
                                        + who()
                                        + " is still at work in the hive from before")
                        .hint(
                                placed.inside().isEmpty()
                                        ? "find who holds .embargo/gate open; to wait once more:"
                                        : "end it, or wait once more:")
                        .fix(kind.equals(LockWhat.HIVE) ? "rsm lock hive" : "rsm lock");
    }
}
