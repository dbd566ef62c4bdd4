package dev.pheromone.example;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.hive.Hive;
import dev.pheromone.hive.HiveOptions;
import dev.pheromone.hive.Undisturbed;
import dev.pheromone.lock.LockFiles;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/// Works on mail for `queen://code`, four envelopes at a time, and answers each.
public final class ReviewDesk {

    private static final Actor SELF = Actor.parse("review-desk");

    private final Transport transport;
    private final InstantSource clock;

    ReviewDesk(Transport transport, InstantSource clock) {
        this.transport = transport;
        this.clock = clock;
    }

    public static void main(String[] args) throws Exception {
        InstantSource clock = InstantSource.system();
        HiveLayout layout = HiveRoot.find(Path.of("").toAbsolutePath());
        try (FileTransport transport =
                FileTransport.open(layout, new LockFiles(layout), SELF, clock, Secrets.none())) {
            Hive hive =
                    new ReviewDesk(transport, clock)
                            .hive(HiveOptions.defaults().withConcurrency(4));
            Thread main = Thread.currentThread();
            // Ctrl-C: running work finishes or is given back before the process ends.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(hive, main)));
            System.out.println(hive.run());
        }
    }

    Hive hive(HiveOptions options) throws Exception {
        return new Hive(
                transport.inbox(Domain.parse("code")),
                SELF,
                this::review,
                options,
                clock,
                System.out::println);
    }

    /// One envelope's work. It may run twice if the machine dies, so it must stand being repeated.
    private Outcome review(Claim claim) throws Exception {
        Envelope request = claim.envelope();
        if (request.bodySize() == 0) {
            return new Outcome.Failed("the body is empty, expected something to review");
        }
        if (request.replyTo().isPresent()) {
            // The same id each time: however often the work is done, one answer arrives.
            Envelope answer =
                    Envelope.draft(
                                    SELF,
                                    List.of(request.replyTo().get()),
                                    request.lane(),
                                    "Re: " + request.topic())
                            // An answer goes no further than what it answers.
                            .consent(request.consent())
                            .id(EnvelopeId.ofReply(request.id(), claim.inbox()))
                            .correlationId(request.id())
                            .hops(request.hops() + 1)
                            .ts(clock.instant())
                            .body("looks good\n")
                            .seal();
            Undisturbed.call(() -> transport.send(answer));
        }
        return new Outcome.Done("reviewed");
    }

    private static void stop(Hive hive, Thread main) {
        hive.stop();
        try {
            main.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
