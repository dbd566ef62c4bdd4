package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.session.caller.Pairings;
import dev.pheromone.session.caller.UserFolder;
import dev.pheromone.session.passkey.Challenges;
import dev.pheromone.session.passkey.Page;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.text.Json;

import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A board whose commands answer what a test says, and which notes what was to be run.
final class FixtureBoard implements Board {

    static final Actor ADA = Actor.parse("ada");

    /// One command that was to be run.
    record Asked(Actor actor, List<String> words, String input, Page page) {}

    /// How commands end.
    interface Program {
        Ran run(Asked asked);
    }

    final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final Pairings pairings;
    private final Challenges challenges = new Challenges("fixture");
    volatile Program program = _ -> new Ran(0, "{\"ok\":true}\n");

    FixtureBoard(Path root, FakeClock clock) {
        this.pairings = new Pairings(new UserFolder(root.resolve("home/user")), root, clock);
    }

    @Override
    public Challenges challenges() {
        return challenges;
    }

    @Override
    public Ran run(Actor actor, List<String> words, String input, Page page) {
        Asked call = new Asked(actor, words, input, page);
        asked.add(call);
        return program.run(call);
    }

    @Override
    public String line(List<String> words) {
        return "rsm " + String.join(" ", words);
    }

    @Override
    public Json.Obj about(Actor actor) {
        return Json.obj().put("actor", actor.name());
    }

    @Override
    public Pairings pairings() {
        return pairings;
    }
}
