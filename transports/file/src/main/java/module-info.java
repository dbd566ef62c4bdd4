/// The file transport.
module dev.pheromone.file {
    requires transitive dev.pheromone;
    requires org.snakeyaml.engine;
    requires static transitive org.jspecify;

    exports dev.pheromone.file;
}
