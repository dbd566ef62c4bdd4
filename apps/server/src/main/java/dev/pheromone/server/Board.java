package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.session.caller.Pairings;
import dev.pheromone.session.passkey.Challenges;
import dev.pheromone.session.passkey.Page;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.List;

/// What the board needs of the program that serves it: the board shows what commands say, and does
/// what commands do.
public interface Board {

    /// How a command ended.
    ///
    /// @param printed on standard output: JSON
    record Ran(int exit, String printed) {}

    /// Runs a command of the hive in the name of `actor`.
    ///
    /// @param words its name, options and operands
    /// @param input what it reads from standard input
    /// @param page the one that asks for it
    Ran run(Actor actor, List<String> words, String input, Page page);

    /// What passkeys are asked to confirm here.
    Challenges challenges();

    /// The words as they are typed in a terminal.
    String line(List<String> words);

    /// Who `actor` is here, and which hive this is.
    Json.Obj about(Actor actor) throws IOException;

    /// The browsers that may use it.
    Pairings pairings();
}
