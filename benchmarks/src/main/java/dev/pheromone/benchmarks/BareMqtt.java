package dev.pheromone.benchmarks;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// MQTT as its library offers it, with quality of service 1. Whoever has to keep a message forces
/// one file: its sender where the broker's word is enough, its receiver where an answer is waited
/// for. The receiver also takes our mail where the broker's word is enough, and says nothing to it:
/// what an answer costs is measured where somebody waits for one.
final class BareMqtt implements Peer {

    private static final long PATIENCE_SECONDS = 5;
    private static final String SENT = "bare/sent";
    private static final String ASKED = "bare/asked";
    private static final String ANSWERED = "bare/answered";

    private final Path folder;
    private final Mqtt5BlockingClient sender;
    private final Mqtt5BlockingClient receiver;
    private final Mqtt5BlockingClient.Mqtt5Publishes answers;

    /// @param ours the topic of our mail that the broker only has to accept
    BareMqtt(int port, Path folder, String ours) {
        this.folder = folder;
        sender = connected(port);
        receiver = connected(port);
        answers = sender.publishes(MqttGlobalPublishFilter.ALL);
        subscribe(sender, ANSWERED);
        receiver.toAsync().publishes(MqttGlobalPublishFilter.ALL, this::receive);
        subscribe(receiver, SENT);
        subscribe(receiver, ours);
        subscribe(receiver, ASKED);
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

    private static void subscribe(Mqtt5BlockingClient client, String topic) {
        var _ = client.subscribeWith().topicFilter(topic).qos(MqttQos.AT_LEAST_ONCE).send();
    }

    private void receive(Mqtt5Publish message) {
        if (!message.getTopic().toString().equals(ASKED)) {
            return;
        }
        try {
            force(message.getPayloadAsBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var _ =
                receiver.toAsync()
                        .publish(
                                Mqtt5Publish.builder()
                                        .topic(message.getResponseTopic().orElseThrow())
                                        .qos(MqttQos.AT_LEAST_ONCE)
                                        .build());
    }

    private void force(byte[] message) throws IOException {
        Path file = folder.resolve(UUID.randomUUID().toString());
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            int _ = channel.write(ByteBuffer.wrap(message));
            channel.force(true);
        }
    }

    /// Kept by the sender, and accepted by the broker.
    @Override
    public double send(List<byte[]> messages) throws IOException {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            force(message);
            var _ =
                    sender.publish(
                            Mqtt5Publish.builder()
                                    .topic(SENT)
                                    .qos(MqttQos.AT_LEAST_ONCE)
                                    .payload(message)
                                    .build());
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    /// Kept by the receiver, and answered.
    @Override
    public double trip(List<byte[]> messages) throws Exception {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            var _ =
                    sender.publish(
                            Mqtt5Publish.builder()
                                    .topic(ASKED)
                                    .qos(MqttQos.AT_LEAST_ONCE)
                                    .payload(message)
                                    .responseTopic(ANSWERED)
                                    .build());
            var _ =
                    answers.receive(PATIENCE_SECONDS, TimeUnit.SECONDS)
                            .orElseThrow(() -> new IllegalStateException("no answer came"));
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    @Override
    public void close() {
        answers.close();
        sender.disconnect();
        receiver.disconnect();
    }
}
