/// The NATS transport.
module dev.pheromone.nats {
    requires transitive dev.pheromone;
    requires io.nats.jnats;
    requires static transitive org.jspecify;

    exports dev.pheromone.nats;
}
