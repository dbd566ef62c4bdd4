package dev.pheromone.file;

import dev.pheromone.address.Domain;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.rse.RseLog;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What has to be done in a hive every now and then, whether or not anybody sends or selects: for
/// processes that stay. Any number of them may do it at once.
final class Housekeeping {

    /// Recovery reads the whole event log, and what it looks for is at least a minute old anyway.
    private static final Duration RECOVERY_INTERVAL = Duration.ofMinutes(5);

    private final FileHive hive;
    private final RseLog log;
    private @Nullable Instant recoveredAt;

    Housekeeping(FileHive hive, RseLog log) {
        this.hive = hive;
        this.log = log;
    }

    /// Does what there is to do now; returns what was found half done and was fixed, or could not
    /// be.
    synchronized List<Finding> run() throws IOException {
        Instant now = hive.now();
        List<Finding> findings = new ArrayList<>();
        if (recoveredAt == null || !now.isBefore(recoveredAt.plus(RECOVERY_INTERVAL))) {
            findings.addAll(new Recovery(hive, log).run(Recovery.Extent.RECENT));
            recoveredAt = now;
        } else {
            new Homecoming(hive).run();
        }
        hive.parking().deliverAll(now);
        for (Domain domain : hive.addresses().domains()) {
            hive.reaper().reap(domain, now);
            try (FileInbox inbox = new FileInbox(hive, domain)) {
                inbox.tidy();
            }
        }
        return findings;
    }
}
