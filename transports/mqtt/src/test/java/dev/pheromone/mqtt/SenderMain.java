package dev.pheromone.mqtt;

import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// A process that sends until it is killed: `URL HIVE`. It says the id of each envelope that was
/// delivered, and sends the others again.
final class SenderMain {

    private static final Duration WAIT = Duration.ofMillis(500);

    private SenderMain() {}

    public static void main(String[] arguments) throws Exception {
        MqttOptions options = MqttOptions.of(arguments[0], arguments[1]).withReceiptWait(WAIT);
        List<Thread> threads =
                List.of("a", "b", "c", "d").stream()
                        .map(name -> Thread.ofVirtual().start(() -> send(options, name)))
                        .toList();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void send(MqttOptions options, String name) {
        try (MqttCarrier carrier = MqttCarrier.open(options, InstantSource.system())) {
            while (true) {
                Envelope envelope =
                        Envelope.draft(
                                        Actor.parse("sender-" + name),
                                        List.of(Domain.parse("code").address()),
                                        Lane.CODE,
                                        "storm")
                                .ts(Instant.now())
                                .seal();
                while (!isDelivered(carrier, envelope)) {}
                System.out.println(envelope.id());
            }
        }
    }

    private static boolean isDelivered(MqttCarrier carrier, Envelope envelope) {
        try {
            SendResult result = carrier.send(envelope).copies().getFirst().result();
            return result instanceof SendResult.Delivered || result instanceof SendResult.Duplicate;
        } catch (IOException e) {
            return false;
        }
    }
}
