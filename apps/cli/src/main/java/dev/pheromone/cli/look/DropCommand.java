package dev.pheromone.cli.look;

import dev.pheromone.address.Lane;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.hive.Pheromone;
import dev.pheromone.rse.RseEvent.PheromoneDrop;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/// `rsm drop`: a pheromone without mail, for whoever senses it.
public final class DropCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("drop", Group.AGENTS, "leaves a signal that fades, for whoever senses it")
                .optional("TOPIC", "what it signals; signals of one topic add up")
                .opt(Opt.value("topic", "TEXT", "the topic, as an option"))
                .opt(Opt.value("lane", "LANE", "the kind of work").withFallback("Process"))
                .opt(
                        Opt.choice("priority", "how strong it starts", MailOptions.PRIORITIES)
                                .withFallback("P2"))
                .opt(Opt.value("ttl", "DURATION", "how long it lasts").withFallback("1h"))
                .opt(Opt.value("ref", "TEXT", "what it refers to: an id, a path, a commit"))
                .opt(Opt.value("tag", "TAG", "a word to find it by").repeated())
                .opt(
                        Opt.value(
                                "corrects",
                                "REF",
                                "what it sets right: the id, time or topic of an earlier event; the"
                                        + " log is never rewritten"))
                .note("Nobody is addressed and nothing is delivered; mail is sent with rsm send.")
                .example(
                        "rsm drop \"main is red\" --lane Bugs --priority P0",
                        "tells everybody who senses bugs")
                .example(
                        "rsm drop \"the red build was a flaky test\" --corrects k3f9x2",
                        "sets right what an earlier event says")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Lane lane = Lane.parse(String.valueOf(call.args().value("lane")));
        Ttl ttl = Objects.requireNonNull(Typed.ttl(call.args(), "ttl"));
        Priority priority = Priority.parse(String.valueOf(call.args().value("priority")));
        String topic = topic(call);
        // As fine as times are in the log, from which it is sensed.
        Instant now = call.now().truncatedTo(ChronoUnit.MILLIS);
        List<String> tags = call.args().values("tag");
        PheromoneDrop drop =
                new PheromoneDrop(
                        now,
                        lane,
                        call.actor(),
                        topic,
                        priority,
                        call.args().value("ref"),
                        ttl,
                        tags);
        String corrects = call.args().value("corrects");
        return new Dropped(new Session(call, hive).drop(drop, corrects), drop, ttl);
    }

    private static String topic(Invocation call) {
        String word = call.args().operand(0);
        String option = call.args().value("topic");
        if ((word == null) == (option == null)) {
            throw new CliException(
                            ErrorCode.USAGE,
                            word == null
                                    ? "found no topic, expected one"
                                    : "found two topics, expected one")
                    .fix("rsm drop --help");
        }
        return word == null ? String.valueOf(option) : word;
    }

    /// What programs are told is what they could sense; people are told of what they did.
    private record Dropped(Pheromone pheromone, PheromoneDrop drop, Ttl ttl) implements Answer {

        @Override
        public Json.Obj json() {
            return SenseCommand.json(pheromone, drop.ts())
                    .put("priority", drop.priority().name())
                    .put("expires_at", IsoTime.format(pheromone.expiresAt()));
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "dropped \""
                            + SafeText.line(drop.topic())
                            + "\" in "
                            + SafeText.line(drop.lane().name())
                            + ", strength "
                            + drop.priority().weight()
                            + ", gone "
                            + Ages.relative(drop.ts().plus(ttl.duration()), screen.now()));
        }
    }
}
