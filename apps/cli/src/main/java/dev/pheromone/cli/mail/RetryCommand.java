package dev.pheromone.cli.mail;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `rsm retry`: sends an envelope anew that died or expired.
public final class RetryCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("retry", Group.AGENTS, "sends a dead or expired envelope again")
                .required("ID", "the envelope, or the last characters of its id")
                .note(
                        "What ended stays ended: this is a new envelope, with a new id, that refers"
                            + " to the old one; one for each inbox where the old one ended. What"
                            + " ended on its way to another transport goes there. Typing the"
                            + " command twice sends it once.")
                .example("rsm retry k3f9x2", "sends it again, as a new envelope")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        List<SentAnswer> sent = new ArrayList<>();
        for (Sent one : new Session(call, hive).retry(String.valueOf(call.args().operand(0)))) {
            sent.add(SentAnswer.of(call, one));
        }
        return sent.size() == 1 ? sent.getFirst() : new Retried(sent);
    }

    /// Copies that ended in several inboxes: an envelope each.
    private record Retried(List<SentAnswer> sent) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> to = new ArrayList<>();
            for (SentAnswer one : sent) {
                to.addAll(one.copies());
            }
            return sent.getFirst().json().put("to", Json.arr(to));
        }

        @Override
        public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
            return sent.getFirst().unwritten(call, why);
        }

        @Override
        public void show(Screen screen) {
            sent.forEach(one -> one.show(screen));
        }

        @Override
        public void showBriefly(Screen screen) {
            sent.forEach(one -> one.showBriefly(screen));
        }
    }
}
