/// Durable files.
module dev.pheromone.disk {
    requires transitive dev.pheromone;
    requires static transitive org.jspecify;

    exports dev.pheromone.disk;
}
