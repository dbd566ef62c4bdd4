package dev.pheromone.cli.serve;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.resident.Background;
import dev.pheromone.cli.resident.Resident;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// `rsm up --detach`: the resident process in the background.
///
/// @param log where it writes what it would print; null if it ran before
record Detached(String root, long pid, @Nullable Path log) implements Answer {

    /// Starts a resident for the hive at `layout`, unless one runs, and waits until it answers.
    ///
    /// @param port at which it also serves HTTP; null for none
    static Detached start(Invocation call, HiveLayout layout, @Nullable String port)
            throws IOException {
        Optional<Resident> before = Resident.of(layout, call.surroundings());
        if (before.isPresent() && !before.get().answers()) {
            throw DownCommand.silent(before.get());
        }
        if (before.isPresent()) {
            return new Detached(layout.root().toString(), before.get().pid(), null);
        }
        Path launcher = call.surroundings().launcher();
        if (launcher == null) {
            throw new CliException(
                    ErrorCode.IO, "--detach needs the launcher rsm, and it did not start this");
        }
        List<String> words =
                new ArrayList<>(
                        List.of(launcher.toString(), "up", "--root", layout.root().toString()));
        if (port != null) {
            words.addAll(List.of("--port", port));
        }
        Background background = Background.start(words, layout, call.surroundings());
        Optional<Resident> running = background.await(layout, call.surroundings());
        if (running.isEmpty()) {
            throw new CliException(
                            ErrorCode.IO,
                            background.isAlive()
                                    ? "the resident process did not begin to answer"
                                    : "the resident process ended at once: "
                                            + SafeText.line(background.lastLine()))
                    .hint("what it said is in " + background.log());
        }
        return new Detached(layout.root().toString(), running.get().pid(), background.log());
    }

    @Override
    public Json.Obj json() {
        Json.Obj json = Json.obj().put("root", root).put("pid", pid).put("started", log != null);
        return log == null ? json : json.put("log", log.toString());
    }

    @Override
    public void show(Screen screen) {
        screen.line(
                log == null
                        ? "process " + pid + " keeps this hive already"
                        : "process "
                                + pid
                                + " keeps this hive now; it tells what it does in "
                                + log);
        screen.line("to end it:  rsm down");
    }
}
