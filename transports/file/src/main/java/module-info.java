/// The file transport.
module dev.pheromone.file {
    requires transitive dev.pheromone;
    requires transitive dev.pheromone.disk;
    requires transitive dev.pheromone.locks;
    requires static transitive org.jspecify;

    exports dev.pheromone.file;
}
