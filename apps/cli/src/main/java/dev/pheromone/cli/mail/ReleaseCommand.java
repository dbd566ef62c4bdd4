package dev.pheromone.cli.mail;

import dev.pheromone.Outcome;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;

/// `rsm release`: gives a claimed envelope back, untouched.
public final class ReleaseCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of(
                        "release",
                        Group.AGENTS,
                        "gives a claimed envelope back; not counted as a failure")
                .required(
                        "ID|CLAIM",
                        "the envelope's id, with its attempt if you had it before (k3f9x2.2), or"
                                + " the claim that rsm select gave")
                .optional("NOTE", "why, in a line")
                .opt(MailOptions.via("it was taken from this transport of hive.yaml"))
                .example(
                        "rsm release k3f9x2 \"needs a human\"",
                        "lets somebody else take it at once")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        String typed = String.valueOf(call.args().operand(0));
        String note = call.args().operand(1);
        Outcome outcome = new Outcome.Released(note == null ? "" : note);
        return AckCommand.answer(
                call, new Session(call, hive).settle(typed, outcome, null), "released", null);
    }
}
