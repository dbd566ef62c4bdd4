package dev.pheromone.file;

import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/// A process that sends: `ROOT NUMBER COUNT`. Started again after its death it goes on with the
/// first envelope that it was not told is sent, which may well be.
///
/// It writes one byte to its output before each step, so that whoever kills it knows that it is at
/// work.
final class StormProducerMain {

    private static final int TRIES_MAX = 10;

    private StormProducerMain() {}

    public static void main(String[] arguments) throws Exception {
        StormHive hive = new StormHive(Path.of(arguments[0]));
        int producer = Integer.parseInt(arguments[1]);
        int count = Integer.parseInt(arguments[2]);
        Path confirmations = hive.confirmations(arguments[1]);
        try (FileTransport transport = hive.open(Actor.parse("p" + producer))) {
            for (int n = StormHive.lines(confirmations).size(); n < count; n++) {
                System.out.write(StormWorkerMain.STEP);
                System.out.flush();
                SendResult result = send(transport, producer, n);
                StormHive.addLine(
                        confirmations,
                        StormMail.id(producer, n) + " " + result.getClass().getSimpleName());
            }
        }
    }

    /// Sends until it is told that it has: recovery takes the draft away from a sender that it
    /// thinks dead.
    private static SendResult send(FileTransport transport, int producer, int number)
            throws Exception {
        for (int tries = 1; ; tries++) {
            SendResult result =
                    transport
                            .send(StormMail.of(producer, number, Instant.now()))
                            .copies()
                            .getFirst()
                            .result();
            if (result instanceof SendResult.Delivered || result instanceof SendResult.Duplicate) {
                return result;
            }
            if (!(result instanceof SendResult.Failed) || tries == TRIES_MAX) {
                throw new IOException("envelope " + number + ", try " + tries + ": " + result);
            }
        }
    }
}
