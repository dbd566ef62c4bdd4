package dev.pheromone.cli.frame;

import java.util.List;
import java.util.Optional;

/// The program as a whole, for a command that runs others.
public interface Program {

    /// Runs `words` in `surroundings`, and returns the exit code.
    ///
    /// @throws OutOfMemoryError after the command reported it: whoever runs others may be in need
    ///   too
    int run(List<String> words, Surroundings surroundings);

    /// The call that `words` mean in `surroundings`, if it is one that a resident process may
    /// answer; nothing is done yet.
    Optional<Invocation> servable(List<String> words, Surroundings surroundings);
}
