/// The file transport.
module dev.pheromone.file {
    requires transitive dev.pheromone;
    requires transitive dev.pheromone.disk;
    requires transitive dev.pheromone.locks;
    requires static transitive org.jspecify;

    exports dev.pheromone.file;
    exports dev.pheromone.file.embargo;
    exports dev.pheromone.file.log;
    exports dev.pheromone.file.setup;
}
