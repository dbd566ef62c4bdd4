package dev.pheromone.cli.serve;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.resident.Resident;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Optional;

/// `rsm down`: ends the resident process of a hive.
public final class DownCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of("down", Group.OPERATORS, "ends the resident process of the hive")
                .note(
                        "Commands that the process is working on come to their end first. Without a"
                                + " resident process every command runs in a process of its own, as"
                                + " before.")
                .example("rsm down", "after rsm up --detach")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        Optional<Resident> resident = Resident.of(TypedHive.find(call), call.surroundings());
        if (resident.isEmpty()) {
            return new Ended(null);
        }
        if (!resident.get().answers()) {
            throw silent(resident.get());
        }
        try {
            if (!resident.get().stop()) {
                throw new CliException(
                                ErrorCode.IO,
                                "process "
                                        + resident.get().pid()
                                        + " was told to end, and still works on a command")
                        .hint("to end it at once:")
                        .fix("kill " + resident.get().pid());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Ended(resident.get().pid());
    }

    /// It is there, and says nothing: stopped, or far too busy. No mail is lost by ending it.
    static CliException silent(Resident resident) {
        return new CliException(
                        ErrorCode.IO, "the resident process " + resident.pid() + " does not answer")
                .hint("to end it at once, which loses no mail:")
                .fix("kill -9 " + resident.pid());
    }

    /// @param pid which process ended; null if none ran
    private record Ended(@Nullable Long pid) implements Answer {

        @Override
        public Json.Obj json() {
            Json.Obj json = Json.obj().put("stopped", pid != null);
            return pid == null ? json : json.put("pid", pid);
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    pid == null
                            ? "no resident process runs for this hive"
                            : "ended the resident process " + pid);
        }
    }
}
