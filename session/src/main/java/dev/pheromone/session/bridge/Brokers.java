package dev.pheromone.session.bridge;

import dev.pheromone.Carrier;
import dev.pheromone.OtherReceiverException;
import dev.pheromone.SendResult;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.mqtt.MqttOptions;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// What a process that stays does at the brokers of `hive.yaml`, each on a thread of its own: it
/// receives for the inboxes named there, and publishes events where that is switched on.
public final class Brokers implements AutoCloseable {

    /// How soon is looked again whether a receiver that was there is gone.
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

    private final Caller caller;
    private final OpenHive hive;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Receiving> receivings = new ArrayList<>();
    private final List<EventFeed> feeds = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, String> troubles = new HashMap<>();

    public Brokers(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// Begins with all that `hive.yaml` says.
    public void start() {
        new TreeMap<>(hive.config().transports())
                .forEach((name, config) -> {
                    try {
                        if (!config.receive().isEmpty()) {
                            receive(name, config.receive());
                        }
                        if (config.events()) {
                            publishEvents(name);
                        }
                    } catch (IOException e) {
                        tell(name, name + ": " + FileProblem.describe(e));
                    } catch (ProblemException e) {
                        tell(name, String.valueOf(e.getMessage()));
                    }
                });
    }

    private void receive(String name, List<Domain> wanted) throws IOException {
        List<Domain> inboxes = new ArrayList<>(wanted);
        try {
            inboxes.retainAll(hive.transport().domains());
        } catch (WithheldException e) {
            // Under a lock nobody knows which there are, and what comes waits in the embargo.
        }
        List<Domain> missing = new ArrayList<>(wanted);
        missing.removeAll(inboxes);
        if (!missing.isEmpty()) {
            caller.warn(
                    "transport "
                            + name
                            + ": there is no inbox "
                            + Phrase.addresses(missing)
                            + " here to receive into");
        }
        if (!inboxes.isEmpty()) {
            Receiving receiving =
                    new Receiving(
                            caller,
                            hive,
                            hive.named(name),
                            hive.transport(),
                            inboxes,
                            MqttOptions.Joining.YIELDS,
                            new Told(name, inboxes));
            receivings.add(receiving);
            threads.add(
                    Thread.ofVirtual()
                            .name("receiver")
                            .start(() -> receive(name, receiving, inboxes)));
        }
    }

    /// Publishes the events of this hive by the transport `name`, from now on.
    public void publishEvents(String name) throws IOException {
        Consumer<String> troubles = problem -> tell("events at " + name, name + ": " + problem);
        EventFeed feed =
                new EventFeed(
                        hive.log(),
                        hive.transport().remote(),
                        hive.named(name).broker(usual -> usual.withTroubles(troubles)),
                        troubles);
        feeds.add(feed);
        feed.start();
    }

    private void receive(String name, Receiving receiving, List<Domain> inboxes) {
        try {
            while (over.getCount() > 0) {
                try {
                    Carrier.Ending ending = receiving.run();
                    if (!(ending instanceof Carrier.Ending.Closed)) {
                        tell(name, name + ": " + over(ending));
                    }
                    return;
                } catch (OtherReceiverException e) {
                    tell(
                            name,
                            e.getMessage()
                                    + "; waiting until nobody does. If that receiver is gone for"
                                    + " good, take its place:  "
                                    + takeOver(name, inboxes));
                    boolean _ = over.await(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (IOException e) {
            tell(name, name + ": nothing is received: " + FileProblem.describe(e));
        } catch (ProblemException e) {
            tell(name, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Why receiving is over, in words.
    public static String over(Carrier.Ending ending) {
        return switch (ending) {
            case Carrier.Ending.TakenOver(var reason) -> reason + "; receiving has ended here";
            case Carrier.Ending.Refused(var reason) -> reason;
            case Carrier.Ending.Closed _ -> "the connection was closed";
        };
    }

    /// The command that clears what a broker remembers of a receiver that is gone.
    private static String takeOver(String name, List<Domain> inboxes) {
        StringBuilder command = new StringBuilder("rsm bridge . " + name);
        inboxes.forEach(inbox -> command.append(" --back ").append(inbox.name()));
        return command.append(" --take-over").toString();
    }

    /// Told once, until it is another.
    private synchronized void tell(String about, String problem) {
        if (!problem.equals(troubles.put(about, problem))) {
            caller.note(problem);
        }
    }

    private synchronized void clear(String about) {
        troubles.remove(about);
    }

    private final class Told implements Receiving.Log {

        private final String name;
        private final List<Domain> inboxes;

        Told(String name, List<Domain> inboxes) {
            this.name = name;
            this.inboxes = inboxes;
        }

        @Override
        public void joined() {
            clear(name);
            caller.note(
                    "receiving for "
                            + Phrase.and(inboxes.stream().map(Domain::name).toList())
                            + " from "
                            + name);
        }

        @Override
        public void received(Envelope envelope, Domain inbox, SendResult result) {
            if (Carrier.Fate.of(result) != Carrier.Fate.TAKEN) {
                tell(name, name + ": " + envelope.id() + ": " + result.why());
            }
        }

        @Override
        public void trouble(String what) {
            tell(name, what);
        }
    }

    @Override
    public void close() {
        over.countDown();
        receivings.forEach(Receiving::stop);
        feeds.forEach(EventFeed::close);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
