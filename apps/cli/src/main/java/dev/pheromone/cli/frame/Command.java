package dev.pheromone.cli.frame;

import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.args.UsageException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/// One verb of `rsm`.
public interface Command {

    Spec spec();

    /// What was meant by a line that can't be read, or null: for mistakes that are this command's
    /// own.
    default @Nullable UsageException meant(CommandLine line, int commandIndex) {
        return null;
    }

    /// Does it.
    ///
    /// @throws CliException if what was asked could not be done
    Answer run(Invocation call) throws IOException;
}
