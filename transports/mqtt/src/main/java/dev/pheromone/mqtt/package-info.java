/// The transport over MQTT 5: [dev.pheromone.mqtt.MqttTransport].
@NullMarked
package dev.pheromone.mqtt;

import org.jspecify.annotations.NullMarked;
