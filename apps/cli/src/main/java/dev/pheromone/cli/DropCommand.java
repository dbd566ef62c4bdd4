package dev.pheromone.cli;

import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.Lane;
import dev.pheromone.Priority;
import dev.pheromone.Ttl;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/// `rsm drop`: a pheromone without mail, for whoever senses it.
final class DropCommand implements HiveCommand {

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
                .note("Nobody is addressed and nothing is delivered; mail is sent with rsm send.")
                .example(
                        "rsm drop \"main is red\" --lane Bugs --priority P0",
                        "signals it to all who sense bugs")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Lane lane = Lane.parse(String.valueOf(call.args().value("lane")));
        if (!hive.config().allows(lane)) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "option --lane: found \"" + lane + "\", expected a lane of this hive");
        }
        Ttl ttl = Objects.requireNonNull(Typed.ttl(call.args(), "ttl"));
        Priority priority = Priority.parse(String.valueOf(call.args().value("priority")));
        String topic = topic(call);
        Instant now = call.now();
        List<String> tags = call.args().values("tag");
        hive.log()
                .append(
                        new RseEvent.PheromoneDrop(
                                now,
                                lane,
                                call.actor(),
                                topic,
                                priority,
                                call.args().value("ref"),
                                ttl,
                                tags),
                        Durability.DISK);
        return new Dropped(topic, lane, priority, now, ttl);
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

    /// This one drop, as strong as it starts; `rsm sense` adds it up with earlier ones.
    private record Dropped(String topic, Lane lane, Priority priority, Instant at, Ttl ttl)
            implements Answer {

        private Instant expiresAt() {
            return at.plus(ttl.duration());
        }

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("topic", topic)
                    .put("lane", lane.name())
                    .put("priority", priority.name())
                    .put("strength", priority.weight())
                    .put("drops", 1)
                    .put("newest_at", IsoTime.format(at))
                    .put("expires_in_s", ttl.duration().toSeconds())
                    .put("expires_at", IsoTime.format(expiresAt()));
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "dropped \""
                            + SafeText.line(topic)
                            + "\" in "
                            + SafeText.line(lane.name())
                            + ", strength "
                            + priority.weight()
                            + ", gone "
                            + Ages.relative(expiresAt(), screen.now()));
        }
    }
}
