package dev.pheromone.cli.home;

import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseScope;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.EventWalk;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The senders that were refused lately for sending too much, as the log tells.
final class RefusalCheckup {

    /// Older refusals are history.
    private static final Duration LATELY = Duration.ofHours(1);

    private static final String REFUSED = "sender_refused";

    private final OpenHive hive;
    private final Instant since;
    private final Map<String, Long> counts = new TreeMap<>();

    RefusalCheckup(OpenHive hive, Instant now) {
        this.hive = hive;
        this.since = now.minus(LATELY);
    }

    List<Finding> findings() throws IOException {
        try {
            new EventWalk(hive)
                    .forEach(
                            RseScope.ALL.ofTypes(Set.of(REFUSED)).since(since),
                            event -> event.type().equals(REFUSED) && event.ts().isAfter(since),
                            this::count);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // That the log can't be read is a finding of the checkup.
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        counts.forEach((sender, count) ->
                findings.add(
                        new Finding(
                                Finding.Severity.WARNING,
                                "sender " + sender,
                                "%d refused within %s for sending too much"
                                        .formatted(count, Ttl.format(LATELY)),
                                "none",
                                "rsm log --type sender_refused shows when and why")));
        return findings;
    }

    private void count(RseEvent event) {
        counts.merge(
                event.data().optionalText("sender").orElse("unknown"),
                event.data().optionalNumber("count").orElse(1),
                Long::sum);
    }
}
