/// The MQTT carrier.
module dev.pheromone.mqtt {
    requires transitive dev.pheromone;
    requires com.hivemq.client.mqtt;
    requires static transitive org.jspecify;

    exports dev.pheromone.mqtt;
}
