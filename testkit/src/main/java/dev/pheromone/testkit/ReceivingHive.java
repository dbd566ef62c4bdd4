package dev.pheromone.testkit;

import dev.pheromone.Carrier;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// A hive in memory that joined a carrier, and receives until it is closed. It fails or answers
/// otherwise where a test says so.
public final class ReceivingHive implements AutoCloseable {

    public static final Actor SELF = Actor.parse("receiver.one");

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /// What happens before a copy is stored.
    public interface Before {
        void run() throws IOException;
    }

    private final Carrier carrier;
    private final MemoryTransport mail;
    private final Carrier.Reception reception;
    private final CompletableFuture<Carrier.Ending> ending = new CompletableFuture<>();
    private final AtomicInteger offers = new AtomicInteger();
    private final Queue<IOException> failures = new ConcurrentLinkedQueue<>();
    private final Queue<SendResult> answers = new ConcurrentLinkedQueue<>();
    private volatile Before before = () -> {};

    /// Joins `carrier`, which is closed with this hive, for `inboxes`, which are empty.
    public ReceivingHive(Carrier carrier, InstantSource clock, Domain... inboxes)
            throws IOException, NoSuchInboxException {
        this(carrier, memory(clock, inboxes), inboxes);
    }

    /// Joins `carrier` with what `mail` has already.
    public ReceivingHive(Carrier carrier, MemoryTransport mail, Domain... inboxes)
            throws IOException, NoSuchInboxException {
        this.carrier = carrier;
        this.mail = mail;
        try {
            reception = carrier.recv(SELF, List.of(inboxes), new Storing());
        } catch (IOException | NoSuchInboxException | RuntimeException e) {
            carrier.close();
            throw e;
        }
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        ending.complete(reception.run());
                    } catch (InterruptedException | RuntimeException e) {
                        ending.completeExceptionally(e);
                    }
                });
    }

    /// Stores in memory.
    private final class Storing implements Carrier.Receiver {

        @Override
        public SendResult receive(Envelope envelope, Domain inbox) throws IOException {
            return ReceivingHive.this.receive(envelope, inbox);
        }

        @Override
        public Optional<State> stateOf(EnvelopeId id, Domain inbox) {
            return mail.stateOf(id, inbox);
        }
    }

    /// A place to receive into.
    public static MemoryTransport memory(InstantSource clock, Domain... inboxes) {
        return new MemoryTransport(clock, CarrierContract.TRUST, CarrierContract.CHECK, inboxes);
    }

    private SendResult receive(Envelope envelope, Domain inbox) throws IOException {
        offers.incrementAndGet();
        before.run();
        IOException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
        SendResult answer = answers.poll();
        if (answer != null) {
            return answer;
        }
        return mail.put(envelope, inbox);
    }

    /// From now on does this before each copy is stored.
    public void before(Before before) {
        this.before = before;
    }

    /// The next copy can't be stored.
    public void failOnce(IOException failure) {
        failures.add(failure);
    }

    /// The next copy is answered so, and not stored.
    public void answerOnce(SendResult answer) {
        answers.add(answer);
    }

    /// How often a copy was offered so far.
    public int offers() {
        return offers.get();
    }

    public void awaitOffers(int count) {
        await("offers: " + count, () -> offers.get() >= count);
    }

    /// What is stored in an inbox.
    public List<Envelope> stored(Domain inbox) throws NoSuchInboxException {
        return mail.stored(inbox);
    }

    /// The copy of `envelope`, when it is stored.
    public Envelope await(Envelope envelope, Domain inbox) {
        await("envelope " + envelope.id(), () -> mail.stateOf(envelope.id(), inbox).isPresent());
        try {
            return stored(inbox).stream()
                    .filter(one -> one.id().equals(envelope.id()))
                    .findFirst()
                    .orElseThrow();
        } catch (NoSuchInboxException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Why it no longer receives, when it does not.
    public Carrier.Ending awaitEnding() {
        return ending.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /// Waits until a test lets it go on.
    static void await(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("nobody went on within " + PATIENCE.toSeconds() + "s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /// Waits until `condition` holds.
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(what + ": not there after " + PATIENCE.toSeconds() + "s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /// Ends the stay; the carrier stays open.
    public void leave() {
        try {
            reception.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            leave();
            Carrier.Ending _ = awaitEnding();
        } finally {
            carrier.close();
        }
    }
}
