/// Finding, making and checking the place where a hive lies: [dev.pheromone.file.setup.HiveRoot]
/// finds it, [dev.pheromone.file.setup.HiveSetup] makes it, and a
/// [dev.pheromone.file.setup.Finding] is one thing that is wrong with it.
///
/// Knows folders, volumes and settings; no mail.
@NullMarked
package dev.pheromone.file.setup;

import org.jspecify.annotations.NullMarked;
