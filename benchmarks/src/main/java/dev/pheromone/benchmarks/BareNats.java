package dev.pheromone.benchmarks;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.PublishOptions;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

/// NATS as its own library offers it: a work queue in files, one durable consumer, every
/// acknowledgement waited for.
final class BareNats implements Peer {

    private static final String SUBJECT = "bare.mail";
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Connection connection;
    private final JetStream stream;
    private final JetStreamSubscription mail;

    BareNats(String url) throws Exception {
        connection = Nats.connect(url);
        connection
                .jetStreamManagement()
                .addStream(
                        StreamConfiguration.builder()
                                .name("bare")
                                .subjects(SUBJECT)
                                .retentionPolicy(RetentionPolicy.WorkQueue)
                                .storageType(StorageType.File)
                                .build());
        stream = connection.jetStream();
        mail = stream.subscribe(SUBJECT, PullSubscribeOptions.builder().durable("workers").build());
    }

    @Override
    public double send(List<byte[]> messages) throws Exception {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            publish(message);
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    @Override
    public double trip(List<byte[]> messages) throws Exception {
        long began = System.nanoTime();
        for (byte[] message : messages) {
            publish(message);
            List<Message> taken = mail.fetch(1, PATIENCE);
            taken.getFirst().ackSync(PATIENCE);
        }
        return (double) (System.nanoTime() - began) / messages.size();
    }

    private void publish(byte[] message) throws Exception {
        var _ =
                stream.publish(
                        SUBJECT,
                        message,
                        PublishOptions.builder().messageId(UUID.randomUUID().toString()).build());
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
