package dev.pheromone.lock;

import dev.pheromone.HiveConfig;
import dev.pheromone.config.HiveYaml;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;

import java.io.IOException;

/// The hive's configuration for whoever writes mail under a lock: as it was when the hive was
/// locked, from a copy in the embargo. What it says is only used to compose; what counts is decided
/// when the mail is released.
final class KeptConfig {

    private final PolicyGuard guard;
    private final KeptCopy copy;

    KeptConfig(HiveLayout layout, PolicyGuard guard) {
        Disk disk = new LocalDisk();
        this.guard = guard;
        this.copy =
                new KeptCopy(disk, new GuardedFiles(disk, guard), layout, layout.configuration());
    }

    /// What was kept; the defaults if that is nothing, or may not or can't be read.
    HiveConfig read() {
        if (guard.check(copy.path(), Access.READ) instanceof Verdict.Blocked) {
            return HiveConfig.defaults();
        }
        try {
            byte[] kept = copy.read().orElse(new byte[0]);
            return kept.length == 0 ? HiveConfig.defaults() : HiveYaml.parse(kept);
        } catch (IOException | MalformedYamlException e) {
            return HiveConfig.defaults();
        }
    }

    void keep() throws IOException {
        copy.keep();
    }
}
