/// The HTTP transport.
module dev.pheromone.http {
    requires transitive dev.pheromone;
    requires java.net.http;
    requires static transitive org.jspecify;

    exports dev.pheromone.http;
}
