package dev.pheromone.cli;

import dev.pheromone.cli.args.Spec;

import java.io.IOException;

/// One verb of `rsm`.
interface Command {

    Spec spec();

    /// Does it.
    ///
    /// @throws CliException if what was asked could not be done
    Answer run(Invocation call) throws IOException;
}
