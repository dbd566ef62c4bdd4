/// Contracts and tools for testing a transport.
module dev.pheromone.testkit {
    requires transitive dev.pheromone;
    requires org.assertj.core;
    requires transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;

    exports dev.pheromone.testkit;
}
