package dev.pheromone.session.bridge;

import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.mqtt.MqttCarrier;
import dev.pheromone.mqtt.MqttOptions;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.OwnKey;
import dev.pheromone.session.caller.OwnKeys;
import dev.pheromone.session.hive.NamedTransport;
import dev.pheromone.session.hive.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Receives mail of some inboxes from a broker and stores it where they are, until it is stopped,
/// or somebody else takes its place. A broker that is away is waited for.
public final class Receiving implements Carrier.Receiver, AutoCloseable {

    private static final Duration AWAY_MIN = Duration.ofSeconds(1);
    private static final Duration AWAY_MAX = Duration.ofSeconds(30);

    private final Caller caller;
    private final OpenHive hive;
    private final NamedTransport from;
    private final Transport into;
    private final List<Domain> inboxes;
    private final MqttOptions.Joining joining;
    private final Log log;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private Carrier.@Nullable Reception stay;

    /// Whoever wants to know what happens; called by several threads.
    public interface Log {

        /// Receiving has begun, or begins again after the broker was away.
        void joined();

        /// A copy came, and this became of it.
        void received(Envelope envelope, Domain inbox, SendResult result);

        /// Something was not as it should be, and receiving goes on.
        void trouble(String what);
    }

    /// @param into where the inboxes are
    public Receiving(
            Caller caller,
            OpenHive hive,
            NamedTransport from,
            Transport into,
            List<Domain> inboxes,
            MqttOptions.Joining joining,
            Log log) {
        this.caller = caller;
        this.hive = hive;
        this.from = from;
        this.into = into;
        this.inboxes = List.copyOf(inboxes);
        this.joining = joining;
        this.log = log;
    }

    /// Receives, and returns why that is over.
    ///
    /// @throws dev.pheromone.OtherReceiverException if somebody else receives, and is not to be
    ///   taken over
    /// @throws dev.pheromone.NotLetInException if the broker does not let us in, or speaks no MQTT
    ///   5
    public Carrier.Ending run() throws IOException, InterruptedException {
        Duration pause = AWAY_MIN;
        while (stopped.getCount() > 0) {
            try (MqttCarrier carrier = from.broker(this::asReceiver);
                    Carrier.Reception joined = carrier.recv(caller.actor(), inboxes, this)) {
                synchronized (this) {
                    stay = joined;
                }
                log.joined();
                if (stopped.getCount() > 0) {
                    return joined.run();
                }
            } catch (AwayException e) {
                log.trouble(from.name() + " is away: " + FileProblem.describe(e));
                boolean _ = stopped.await(pause.toMillis(), TimeUnit.MILLISECONDS);
                Duration longer = pause.multipliedBy(2);
                pause = longer.compareTo(AWAY_MAX) > 0 ? AWAY_MAX : longer;
            }
        }
        return new Carrier.Ending.Closed();
    }

    private MqttOptions asReceiver(MqttOptions options) {
        MqttOptions mine =
                options.withJoining(joining)
                        .withTroubles(problem -> log.trouble(from.name() + ": " + problem));
        return ownKey().map(key -> mine.withSigner(key.signer())).orElse(mine);
    }

    /// The key that signs receipts: one of the receiver's that the hive knows, else the first.
    private Optional<OwnKey> ownKey() {
        try {
            List<OwnKey> keys = new OwnKeys(caller).of(caller.actor());
            return keys.stream()
                    .filter(key -> hive.trust().find(key.signer().kid()).isPresent())
                    .findFirst()
                    .or(() -> keys.stream().findFirst());
        } catch (IOException e) {
            log.trouble("receipts are not signed: " + FileProblem.describe(e));
            return Optional.empty();
        }
    }

    @Override
    public SendResult receive(Envelope envelope, Domain inbox)
            throws IOException, NoSuchInboxException {
        for (Receipt.Copy copy : into.send(envelope, inbox).copies()) {
            log.received(envelope, inbox, copy.result());
            return copy.result();
        }
        throw new IOException("envelope " + envelope.id() + ": the hive says nothing of it");
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        return into.stateOf(id, inbox);
    }

    /// Ends it when what is being stored is stored.
    public void stop() {
        stopped.countDown();
        Carrier.Reception current;
        synchronized (this) {
            current = stay;
        }
        if (current != null) {
            try {
                current.close();
            } catch (IOException e) {
                log.trouble(from.name() + ": " + FileProblem.describe(e));
            }
        }
    }

    @Override
    public void close() {
        stop();
    }
}
