package dev.pheromone.mqtt;

import dev.pheromone.Carrier;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.List;

/// A process that receives: `URL HIVE FOLDER`, and `dies` if it is to die when it has stored the
/// first, before anybody is told. Each envelope becomes a file of its id, and each first arrival a
/// line in `effects`.
final class ReceiverMain {

    private ReceiverMain() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[2]);
        MqttOptions options =
                MqttOptions.of(arguments[0], arguments[1])
                        .withJoining(MqttOptions.Joining.TAKES_OVER)
                        .withTroubles(System.out::println);
        try (MqttCarrier carrier = MqttCarrier.open(options, InstantSource.system())) {
            while (true) {
                try (Carrier.Reception reception =
                        carrier.recv(
                                Actor.parse("receiver"),
                                List.of(Domain.parse("code")),
                                (envelope, _) -> {
                                    SendResult result = store(folder, envelope);
                                    if (arguments.length > 3) {
                                        Runtime.getRuntime().halt(1);
                                    }
                                    return result;
                                })) {
                    System.out.println(reception.run());
                    return;
                } catch (IOException e) {
                    // The broker is being started again.
                    System.out.println(e.getMessage());
                }
            }
        }
    }

    static SendResult store(Path folder, Envelope envelope) throws IOException {
        Path file = folder.resolve(envelope.id().text());
        Path draft = Files.createTempFile(folder, "draft", "");
        Files.write(draft, envelope.bytes());
        try {
            Files.createLink(file, draft);
        } catch (FileAlreadyExistsException e) {
            return new SendResult.Duplicate(file.toString());
        } finally {
            Files.delete(draft);
        }
        Files.writeString(
                folder.resolve("effects"),
                envelope.id() + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        return new SendResult.Delivered(file.toString());
    }
}
