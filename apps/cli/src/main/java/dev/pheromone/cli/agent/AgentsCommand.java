package dev.pheromone.cli.agent;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.seat.Presence;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `rsm agents`: the sessions of agent programs, what each does, and how that is known.
public final class AgentsCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("agents", Group.HUMANS, "shows the sessions of agents, and what each does")
                .note(
                        "The hooks that rsm setup installs note each session. An agent is working"
                                + " from a prompt until its turn ends, then idle; silent if it"
                                + " should be at work and gave no sign of life for 10 minutes; gone"
                                + " if it said so or its process ended.")
                .example("rsm agents", "who is here, and what they do")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        return new Listing(new Session(call, hive).agents());
    }

    private record Listing(List<Session.Agent> agents) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            for (Session.Agent agent : agents) {
                List<String> serves = new ArrayList<>();
                agent.seat().serves().forEach(domain -> serves.add(domain.name()));
                items.add(
                        Json.obj()
                                .put("actor", agent.seat().actor().name())
                                .put("harness", agent.seat().harness())
                                .put("version", agent.seat().version())
                                .put("session", agent.seat().session())
                                .put("state", agent.presence().state().toString())
                                .put("evidence", agent.presence().evidence())
                                .put("last_seen_at", IsoTime.format(agent.seat().lastSeenAt()))
                                .putTexts("serves", serves)
                                .put(
                                        "woken_by",
                                        agent.seat().waking().name().toLowerCase(Locale.ROOT)));
            }
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            if (agents.isEmpty()) {
                screen.line("no session of an agent is known here");
                screen.line("rsm setup installs the hooks that note them");
                return;
            }
            Table table = new Table("ACTOR", "STATE", "LAST SEEN", "SERVES", "HOW THAT IS KNOWN");
            for (Session.Agent agent : agents) {
                List<String> serves = new ArrayList<>();
                agent.seat().serves().forEach(domain -> serves.add(domain.name()));
                table.row(
                        Table.Cell.of(agent.seat().actor().name()),
                        new Table.Cell(
                                agent.presence().state().toString(),
                                agent.presence().state() == Presence.State.SILENT
                                        ? Style.YELLOW
                                        : Style.PLAIN),
                        Table.Cell.of(Ages.relative(agent.seat().lastSeenAt(), screen.now())),
                        Table.Cell.of(serves.isEmpty() ? "-" : String.join(", ", serves)),
                        Table.Cell.of(SafeText.line(agent.presence().evidence())));
            }
            screen.table(table);
        }

        @Override
        public void showBriefly(Screen screen) {
            for (Session.Agent agent : agents) {
                screen.line(agent.seat().actor().name());
            }
        }
    }
}
