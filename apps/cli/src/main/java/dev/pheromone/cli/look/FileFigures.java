package dev.pheromone.cli.look;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.file.Audit;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.file.upkeep.Coverage;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.ServiceLevels;
import dev.pheromone.server.HiveFigures;
import dev.pheromone.session.OpenHive;

import java.io.IOException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// What the files of a hive can tell in numbers.
public final class FileFigures implements HiveFigures {

    private final OpenHive hive;

    public FileFigures(OpenHive hive) {
        this.hive = hive;
    }

    @Override
    public Optional<Counts> of(Domain inbox) throws IOException {
        Catalog catalog = hive.catalog();
        Map<State, Long> ended = new EnumMap<>(State.class);
        for (State state : State.values()) {
            if (state.isFinal()) {
                ended.put(state, (long) catalog.archived(inbox, state).size());
            }
        }
        return Optional.of(
                new Counts(
                        catalog.active(inbox).size(),
                        ended,
                        hive.transport().throttled(inbox).isPresent()));
    }

    @Override
    public ServiceLevels.Evidence evidence(Instant since) throws IOException {
        return evidence(since, _ -> {});
    }

    @Override
    public void withheld(WithheldException e) {
        hive.transport().report(e);
    }

    /// As above; what a lock on some of the files hides has no data, and `unmeasured` is told.
    ServiceLevels.Evidence evidence(Instant since, Consumer<WithheldException> unmeasured)
            throws IOException {
        Coverage coverage = new Coverage(0, 0);
        Audit.Report audit = new Audit.Report(List.of(), 0, 0);
        try {
            coverage = hive.transport().coverage(since);
            audit = Audit.run(hive.transport(), hive.guard());
        } catch (WithheldException e) {
            unmeasured.accept(e);
        }
        return new ServiceLevels.Evidence(
                coverage.facts(),
                coverage.told(),
                audit.files(),
                audit.violations(),
                hive.transport().kept().size());
    }
}
