/// What people decide about a hive, and the guard that holds everybody to it.
module dev.pheromone.locks {
    requires transitive dev.pheromone;
    requires transitive dev.pheromone.disk;
    requires org.snakeyaml.engine;
    requires static transitive org.jspecify;

    exports dev.pheromone.config;
    exports dev.pheromone.lock;
}
