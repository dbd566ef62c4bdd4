package dev.pheromone.lock;

import dev.pheromone.HiveConfig;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.trust.TrustList;

import java.io.IOException;

/// What is known of a hive's settings while a lock forbids to read them.
public record KeptSettings(HiveConfig config, TrustList trust) {

    public static final KeptSettings NONE =
            new KeptSettings(HiveConfig.defaults(), TrustList.empty());

    public static KeptSettings read(HiveLayout layout, PolicyGuard guard)
            throws IOException, MalformedYamlException {
        return new KeptSettings(
                new KeptConfig(layout, guard).read(),
                new KeptTrust(layout, guard).read().orElse(TrustList.empty()));
    }
}
