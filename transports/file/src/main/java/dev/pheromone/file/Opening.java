package dev.pheromone.file;

import dev.pheromone.address.Actor;
import dev.pheromone.config.HiveFiles;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.rse.RseLog;

import java.io.IOException;
import java.time.InstantSource;

/// Reads what a hive's configuration says, and joins its parts.
interface Opening {

    HiveParts open() throws IOException, MalformedYamlException;

    /// The opening of the hive at `layout`, with its configuration and trusted keys as they are
    /// when it is opened.
    static Opening of(
            GuardedFiles files,
            HiveLayout layout,
            Secrets secrets,
            RseLog log,
            Actor self,
            InstantSource clock) {
        HiveFiles settings = new HiveFiles(files, layout);
        return () ->
                new HiveParts(
                        files,
                        layout,
                        settings.config(),
                        settings.trust(secrets),
                        FileLimits.defaults(),
                        log,
                        self,
                        clock);
    }
}
