/// Carries mail over MQTT 5 brokers: read [dev.pheromone.mqtt.MqttCarrier] first.
@NullMarked
package dev.pheromone.mqtt;

import org.jspecify.annotations.NullMarked;
