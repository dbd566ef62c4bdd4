package dev.pheromone.cli.agent;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Standstill;
import dev.pheromone.cli.lock.LockListing;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;
import java.util.Optional;

/// `rsm prime`: what an agent must know of this hive when it starts, in few words.
public final class PrimeCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("prime", Group.AGENTS, "says what an agent must know here, in few words")
                .note(
                        "Who you are, which inboxes and locks there are, and which commands to"
                                + " type: at most 250 tokens, made of what this hive is. rsm"
                                + " describe --json has everything, for programs.")
                .example("rsm prime", "once, when a session starts")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        try {
            Session session = new Session(call, hive);
            return new PrimeAnswer(session.state(), new LockListing(session.locks()));
        } catch (WithheldException e) {
            Optional<Standstill> freeze = Standstill.by(call, e.verdict().lock());
            if (freeze.isEmpty()) {
                throw e;
            }
            hive.transport().report(e);
            return freeze.get();
        }
    }
}
