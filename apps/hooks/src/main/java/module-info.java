/// What an agent's tool call would touch, decided against locks; no files, no processes.
module dev.pheromone.hooks {
    requires transitive dev.pheromone;
    requires static transitive org.jspecify;

    exports dev.pheromone.hooks;
    exports dev.pheromone.hooks.setup;
}
