/// Behaviour over any transport.
module dev.pheromone.hive {
    requires transitive dev.pheromone;
    requires static transitive org.jspecify;

    exports dev.pheromone.hive;
}
