package dev.pheromone.benchmarks;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// MQTT as its library offers it, where mail is to wait on the broker: kept messages with quality
/// of service 1, acknowledged by the worker and then cleared, every confirmation waited for.
final class BareMqtt implements Peer {

    private static final long PATIENCE_SECONDS = 5;
    private static final byte[] NOTHING = {};

    private final Mqtt5BlockingClient sender;
    private final Mqtt5BlockingClient worker;
    private final Mqtt5BlockingClient.Mqtt5Publishes mail;

    BareMqtt(int port) {
        sender = connected(port);
        worker = connected(port);
        mail = worker.publishes(MqttGlobalPublishFilter.ALL, true);
        var _ =
                worker.subscribeWith()
                        .topicFilter("bare/trip/+")
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .retainHandling(Mqtt5RetainHandling.DO_NOT_SEND)
                        .send();
    }

    private static Mqtt5BlockingClient connected(int port) {
        Mqtt5BlockingClient client =
                MqttClient.builder()
                        .useMqttVersion5()
                        .serverHost("127.0.0.1")
                        .serverPort(port)
                        .buildBlocking();
        var _ = client.connect();
        return client;
    }

    @Override
    public double send(List<byte[]> messages) {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            publish(sender, "bare/send/" + UUID.randomUUID(), message);
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    @Override
    public double trip(List<byte[]> messages) throws Exception {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            publish(sender, "bare/trip/" + UUID.randomUUID(), message);
            Mqtt5Publish taken = next();
            taken.acknowledge();
            publish(worker, taken.getTopic().toString(), NOTHING);
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    /// The next message; what clears one is none.
    private Mqtt5Publish next() throws Exception {
        while (true) {
            Mqtt5Publish next =
                    mail.receive(PATIENCE_SECONDS, TimeUnit.SECONDS)
                            .orElseThrow(() -> new IllegalStateException("no message came"));
            if (next.getPayloadAsBytes().length > 0) {
                return next;
            }
            next.acknowledge();
        }
    }

    private static void publish(Mqtt5BlockingClient client, String topic, byte[] message) {
        var _ =
                client.publish(
                        Mqtt5Publish.builder()
                                .topic(topic)
                                .qos(MqttQos.AT_LEAST_ONCE)
                                .retain(true)
                                .payload(message)
                                .build());
    }

    @Override
    public void close() {
        mail.close();
        sender.disconnect();
        worker.disconnect();
    }
}
