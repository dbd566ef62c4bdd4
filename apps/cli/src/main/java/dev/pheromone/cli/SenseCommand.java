package dev.pheromone.cli;

import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.hive.Pheromone;
import dev.pheromone.hive.Pheromones;
import dev.pheromone.hive.Scent;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.PheromoneDrop;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// `rsm sense`: the signals that have not faded, strongest first.
final class SenseCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("sense", Group.AGENTS, "shows the live signals, strongest first")
                .opt(Opt.value("lane", "LANE", "only in this lane"))
                .opt(Opt.value("topic", "TEXT", "only topics with this text in them"))
                .opt(Opt.choice("priority", "only drops of this class", MailOptions.PRIORITIES))
                .opt(Opt.value("ref", "TEXT", "only drops that refer to this"))
                .opt(Opt.value("tag", "TAG", "only with this tag").repeated())
                .note("Drops that announce mail are not shown: rsm inbox shows the mail.")
                .example("rsm sense --lane Bugs", "what the bugs lane smells of")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        List<PheromoneDrop> drops = new ArrayList<>();
        Set<String> mail = new HashSet<>();
        new EventWalk(hive.log())
                .forEach(event -> {
                    if (event instanceof PheromoneDrop drop) {
                        drops.add(drop);
                    } else if (event instanceof RseEvent.RsmEnvelopeEmit) {
                        event.about().ifPresent(mail::add);
                    }
                });
        Instant now = call.now();
        Pheromones air = new Pheromones(now, hive.config().halfLife(), Scent.ANY);
        for (PheromoneDrop drop : drops) {
            boolean announcesMail = drop.about().filter(mail::contains).isPresent();
            if (!announcesMail && isWanted(drop, call.args())) {
                air.take(drop);
            }
        }
        return new Sensed(air.sensed(), now);
    }

    private static boolean isWanted(PheromoneDrop drop, Args args) {
        String topic = args.value("topic");
        return matches(args.value("lane"), drop.lane().name())
                && matches(args.value("priority"), drop.priority().name())
                && matches(args.value("ref"), drop.about().orElse(""))
                && (topic == null || drop.topic().contains(topic))
                && drop.tags().containsAll(args.values("tag"));
    }

    private static boolean matches(@Nullable String wanted, String found) {
        return wanted == null || wanted.equalsIgnoreCase(found);
    }

    private record Sensed(List<Pheromone> pheromones, Instant now) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            for (Pheromone pheromone : pheromones) {
                items.add(
                        Json.obj()
                                .put("topic", pheromone.topic())
                                .put("lane", pheromone.lane().name())
                                .put("strength", Math.round(pheromone.strength() * 1000) / 1000.0)
                                .put("drops", pheromone.drops())
                                .put("newest_at", IsoTime.format(pheromone.newestAt()))
                                .put("expires_in_s", pheromone.expiresIn(now).toSeconds()));
            }
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            if (pheromones.isEmpty()) {
                screen.line("nothing to sense");
                return;
            }
            Table table = new Table("STRENGTH", "TOPIC", "LANE", "DROPS", "NEWEST", "GONE");
            for (Pheromone pheromone : pheromones) {
                long tenths = Math.round(pheromone.strength() * 10);
                table.row(
                        tenths / 10 + "." + tenths % 10,
                        pheromone.topic(),
                        pheromone.lane().name(),
                        String.valueOf(pheromone.drops()),
                        Ages.relative(pheromone.newestAt(), now),
                        Ages.relative(pheromone.expiresAt(), now));
            }
            screen.table(table);
        }

        @Override
        public void showBriefly(Screen screen) {
            pheromones.forEach(pheromone -> screen.line(SafeText.line(pheromone.topic())));
        }
    }
}
