package dev.pheromone.session.look;

import dev.pheromone.address.Domain;
import dev.pheromone.file.Audit;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.file.upkeep.Coverage;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.ServiceLevels;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// Measures how a hive keeps its promises, by its log and its files.
public final class Promises {

    private Promises() {}

    /// The ids of what waits or is worked on, as far as a lock lets it be seen.
    private static Set<String> open(OpenHive hive) throws IOException {
        Set<String> ids = new HashSet<>();
        try {
            for (Domain domain : hive.transport().domains()) {
                for (Catalog.Item item : hive.catalog().open(domain)) {
                    if (item.id() != null) {
                        ids.add(item.id().text());
                    }
                }
            }
        } catch (WithheldException e) {
            // What the log tells of the time in question is enough for all but the depth.
        }
        return ids;
    }

    /// What happened from `since` on, as far as the log tells it: no file is looked into.
    public static ServiceReport logged(OpenHive hive, Instant since, Instant now)
            throws IOException {
        return levels(hive, since).report(since, now, ServiceLevels.Evidence.NONE);
    }

    private static ServiceLevels levels(OpenHive hive, Instant since) throws IOException {
        FileTransport files = hive.transport();
        try {
            files.embargo().bringHome();
        } catch (WithheldException e) {
            // The log may be read, or else says so below.
        }
        ServiceLevels levels = new ServiceLevels();
        levels.takeSince(hive.log(), since, open(hive));
        files.embargo().events().forEach(levels::take);
        return levels;
    }

    /// How they were kept from `since` on. What a lock on some of the files hides has no data, and
    /// `unmeasured` is told.
    public static ServiceReport report(
            OpenHive hive, Instant since, Instant now, Consumer<WithheldException> unmeasured)
            throws IOException {
        FileTransport files = hive.transport();
        ServiceLevels levels = levels(hive, since);
        Coverage coverage = new Coverage(0, 0);
        Audit.Report audit = new Audit.Report(List.of(), 0, 0);
        try {
            coverage = files.upkeep().coverage(since);
            audit = Audit.since(files, hive.guard(), since);
        } catch (WithheldException e) {
            unmeasured.accept(e);
        }
        return levels.report(
                since,
                now,
                new ServiceLevels.Evidence(
                        coverage.facts(),
                        coverage.told(),
                        audit.files(),
                        audit.violations(),
                        files.embargo().mail().size()));
    }
}
