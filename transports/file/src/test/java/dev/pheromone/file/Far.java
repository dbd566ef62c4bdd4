package dev.pheromone.file;

import dev.pheromone.AwayException;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Reach;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Transport;
import dev.pheromone.testkit.MemoryTransport;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/// A hive in memory that can go away and come back.
final class Far implements Transport {

    private final MemoryTransport there;
    boolean away;

    /// What it says of mail that it has, and that may not have arrived.
    @Nullable SendResult unsure;

    /// Mail that it does not take, and nothing is wrong with any other.
    @Nullable EnvelopeId refused;

    Far(TestHive hive) {
        there = new MemoryTransport(hive.clock, TestHive.CODE);
    }

    @Override
    public Reach reach() {
        return Reach.TEAM;
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        if (away) {
            throw new AwayException("nobody answers");
        }
        if (envelope.id().equals(refused)) {
            throw new IOException("too large");
        }
        Receipt receipt = there.send(envelope);
        return unsure == null ? receipt : answered(receipt, unsure);
    }

    private static Receipt answered(Receipt receipt, SendResult unsure) {
        Receipt.Copy copy = receipt.copies().getFirst();
        return new Receipt(
                receipt.id(),
                receipt.hash(),
                List.of(new Receipt.Copy(copy.address(), copy.inbox(), unsure)));
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        if (away) {
            throw new AwayException("nobody answers");
        }
        return there.send(envelope, inbox);
    }

    @Override
    public void createInbox(Domain inbox) {
        there.createInbox(inbox);
    }

    @Override
    public List<Domain> domains() {
        return there.domains();
    }

    @Override
    public Inbox inbox(Domain domain) throws NoSuchInboxException {
        return there.inbox(domain);
    }

    @Override
    public void close() {}
}
