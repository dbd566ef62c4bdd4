/// The MQTT carrier.
module dev.pheromone.mqtt {
    requires transitive dev.pheromone;
    requires com.hivemq.client.mqtt;
    requires io.reactivex.rxjava2;
    requires static transitive org.jspecify;

    exports dev.pheromone.mqtt;
}
