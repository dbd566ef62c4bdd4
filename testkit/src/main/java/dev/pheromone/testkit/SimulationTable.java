package dev.pheromone.testkit;

import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.testkit.Simulation.Figures;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// The program that prints what the simulations of selection give, as the tables of
/// `docs/selection.md`. Takes a seed, if another than the page's is wanted.
public final class SimulationTable {

    /// The seed of the page.
    public static final long SEED = 2025;

    private SimulationTable() {}

    public static void main(String[] args) {
        long seed = args.length == 0 ? SEED : Long.parseLong(args[0]);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.print(of(seed));
    }

    /// The tables for every kind of traffic, as Markdown.
    public static String of(long seed) {
        StringBuilder text = new StringBuilder();
        for (Traffic traffic : Traffic.all(seed)) {
            text.append(text.isEmpty() ? "" : "\n");
            text.append("**").append(traffic.name()).append(".** ").append(traffic.about());
            text.append("\n\n| class | order | sent | taken | wait P50 | P95 | longest | expired");
            text.append(" | inversions |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
            addRows(text, traffic);
        }
        return text.toString();
    }

    private static void addRows(StringBuilder text, Traffic traffic) {
        Simulation.Result ours = Simulation.run(traffic, Discipline.OURS);
        Simulation.Result strict = Simulation.run(traffic, Discipline.STRICT);
        Simulation.Result weight = Simulation.run(traffic, Discipline.WEIGHT);
        for (Priority priority : Priority.values()) {
            addRow(text, priority.name(), Discipline.OURS, ours.of(priority));
            addRow(text, "", Discipline.STRICT, strict.of(priority));
            addRow(text, "", Discipline.WEIGHT, weight.of(priority));
        }
    }

    private static void addRow(
            StringBuilder text, String name, Discipline discipline, Figures figures) {
        text.append(
                String.format(
                        Locale.ROOT,
                        "| %s | %s | %d | %d | %s | %s | %s | %d (%.1f %%) | %d |\n",
                        name,
                        discipline,
                        figures.sent(),
                        figures.taken(),
                        Ttl.format(figures.wait(50)),
                        Ttl.format(figures.wait(95)),
                        Ttl.format(figures.wait(100)),
                        figures.expired(),
                        figures.expiredShare() * 100,
                        figures.inversions()));
    }
}
