package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.session.HiveLocks;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/// A lock that was set.
record LockAnswer(HiveLocks.Placed lock) implements Answer {

    @Override
    public Json.Obj json() {
        return Json.obj()
                .put("kind", lock.kind())
                .put("pattern", lock.pattern())
                .put("reason", lock.reason())
                .put("expires_at", lock.expires() == null ? Json.Null.NULL : time(lock.expires()))
                .put("declared_in", lock.placed().declaredIn())
                .put("new", lock.placed().isNew())
                .put("quiet", lock.placed().isQuiet());
    }

    static Json time(Instant time) {
        return Json.of(IsoTime.format(time));
    }

    @Override
    public void show(Screen screen) {
        StringBuilder line = new StringBuilder();
        if (lock.kind().equals(LockWhat.HIVE)) {
            line.append(
                    lock.placed().isNew() ? "the hive is locked" : "the hive was locked already");
            line.append(lock.reason().isEmpty() ? "" : ": " + SafeText.line(lock.reason()));
        } else {
            line.append(lock.kind())
                    .append(' ')
                    .append(SafeText.line(lock.pattern()))
                    .append(" is locked");
            line.append(lock.reason().isEmpty() ? "" : ": " + SafeText.line(lock.reason()));
            line.append(
                    lock.expires() == null
                            ? ""
                            : ", ends " + Ages.relative(lock.expires(), screen.now()));
        }
        screen.line(line.toString());
        screen.line("declared in " + SafeText.line(lock.placed().declaredIn()));
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line(SafeText.line(lock.placed().declaredIn()));
    }

    private String who() {
        List<String> processes =
                lock.placed().inside().stream().map(id -> "process " + id).toList();
        return processes.isEmpty() ? "somebody" : String.join(" and ", processes);
    }

    @Override
    public @Nullable CliException failure() {
        return lock.placed().isQuiet()
                ? null
                : new CliException(
                                ErrorCode.NOT_QUIET,
                                "the lock is set and stays, but "
                                        + who()
                                        + " is still at work in the hive from before")
                        .hint(
                                lock.placed().inside().isEmpty()
                                        ? "find who holds .embargo/gate open; to wait once more:"
                                        : "end it, or wait once more:")
                        .fix(lock.kind().equals(LockWhat.HIVE) ? "rsm lock hive" : "rsm lock");
    }
}
