package dev.pheromone.server;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.file.Audit;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.file.upkeep.Coverage;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.ServiceLevels;
import dev.pheromone.lock.LockFiles;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The numbers of a hive on disk.
record CountedFiles(FileTransport files) implements HiveFigures {

    @Override
    public Optional<Counts> of(Domain inbox) throws IOException {
        Map<State, Long> all =
                files.catalog().all(inbox).stream()
                        .collect(Collectors.groupingBy(Catalog.Item::state, Collectors.counting()));
        return Optional.of(
                new Counts(
                        all.getOrDefault(State.ACTIVE, 0L),
                        all,
                        files.throttled(inbox).isPresent()));
    }

    @Override
    public ServiceLevels.Evidence evidence(Instant since) throws IOException {
        Coverage coverage = files.coverage(since);
        Audit.Report audit = Audit.run(files, new LockFiles(files.layout()));
        return new ServiceLevels.Evidence(
                coverage.facts(), coverage.told(), audit.files(), audit.violations(), 0);
    }

    @Override
    public void withheld(WithheldException e) {
        files.report(e);
    }
}
