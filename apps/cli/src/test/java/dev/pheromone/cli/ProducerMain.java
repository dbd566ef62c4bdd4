package dev.pheromone.cli;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;

import java.nio.file.Path;
import java.time.InstantSource;

/// A process that sends: `ROOT NAME COUNT`. It prints how many microseconds each took.
final class ProducerMain {

    private ProducerMain() {}

    public static void main(String[] args) throws Exception {
        SoakHive soak = new SoakHive(Path.of(args[0]));
        InstantSource clock = InstantSource.system();
        StringBuilder times = new StringBuilder();
        try (FileTransport transport = soak.open(args[1], clock)) {
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                Envelope envelope = SoakHive.mail(args[1], i, clock);
                long start = System.nanoTime();
                SoakHive.send(transport, envelope);
                times.append((System.nanoTime() - start) / 1_000).append('\n');
            }
        }
        System.out.print(times);
    }
}
