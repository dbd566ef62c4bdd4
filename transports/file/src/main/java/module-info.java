/// The file transport.
module dev.pheromone.file {
    requires transitive dev.pheromone;
    requires transitive dev.pheromone.disk;
    requires transitive dev.pheromone.locks;
    requires static transitive org.jspecify;

    exports dev.pheromone.file;
    exports dev.pheromone.file.admission;
    // The rooms above it take its parts in their constructors; no other module makes them.
    exports dev.pheromone.file.copy;
    exports dev.pheromone.file.embargo;
    exports dev.pheromone.file.inbox;
    exports dev.pheromone.file.log;
    exports dev.pheromone.file.remote;
    exports dev.pheromone.file.scope;
    exports dev.pheromone.file.setup;
    exports dev.pheromone.file.upkeep;
}
