/// The protocol as values: no files, no threads, no clock.
module dev.pheromone {
    requires tools.jackson.core;
    requires static transitive org.jspecify;

    exports dev.pheromone;
    exports dev.pheromone.address;
    exports dev.pheromone.envelope;
    exports dev.pheromone.guard;
    exports dev.pheromone.life;
    exports dev.pheromone.question;
    exports dev.pheromone.rse;
    exports dev.pheromone.selection;
    exports dev.pheromone.text;
    exports dev.pheromone.trust;
}
