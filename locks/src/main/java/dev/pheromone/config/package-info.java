/// The files that people write for a hive: `hive.yaml`, `trust.yaml`, and the small part of YAML
/// that both are read with.
///
/// Read [dev.pheromone.config.HiveFiles] first; [dev.pheromone.config.HiveYaml] and
/// [dev.pheromone.config.TrustYaml] are the two formats, over [dev.pheromone.config.YamlFields].
///
/// The package may know files and core's values. It knows no lock: whoever reads through it has
/// asked the guard.
@NullMarked
package dev.pheromone.config;

import org.jspecify.annotations.NullMarked;
