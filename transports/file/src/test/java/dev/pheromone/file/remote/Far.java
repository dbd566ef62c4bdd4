package dev.pheromone.file.remote;

import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.Inbox;
import dev.pheromone.NotLetInException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.TestHive;
import dev.pheromone.testkit.MemoryTransport;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// A hive in memory that can go away and come back.
public final class Far implements Transport {

    private final MemoryTransport there;
    public boolean away;

    /// What it says of mail that it has, and that may not have arrived.
    public @Nullable SendResult unsure;

    /// Mail that it does not take, and nothing is wrong with any other.
    public @Nullable EnvelopeId refused;

    /// An inbox for which nobody answers, though its mail is with a broker.
    @Nullable Domain silent;

    /// An inbox whose mail did not get to the broker, because the connection broke.
    @Nullable Domain cutOff;

    /// An inbox that takes no mail of this form.
    public @Nullable Domain rejecting;

    String rejection = "not in this form";

    /// An inbox that has no room now.
    public @Nullable Domain full;

    /// A lock that somebody sets while mail is on its way.
    @Nullable Path lock;

    /// Whether nobody is let in.
    public boolean closedDoor;

    /// How often something was sent, and the inboxes that it was sent to.
    public int sendings;

    final List<Domain> sent = new ArrayList<>();

    public Far(TestHive hive) {
        there = new MemoryTransport(hive.clock, TestHive.CODE);
    }

    @Override
    public Reach reach() {
        return Reach.TEAM;
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        open(envelope);
        return answered(there.send(envelope));
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        open(envelope);
        return answered(there.send(envelope, inbox));
    }

    private void open(Envelope envelope) throws IOException {
        sendings++;
        if (closedDoor) {
            throw new NotLetInException("not you");
        }
        if (away) {
            throw new AwayException("nobody answers");
        }
        if (envelope.id().equals(refused)) {
            throw new IOException("too large");
        }
    }

    private Receipt answered(Receipt receipt) throws IOException {
        if (lock != null) {
            Files.createFile(lock);
        }
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            sent.add(copy.inbox());
            SendResult result = unsure == null ? copy.result() : unsure;
            if (copy.inbox().equals(silent)) {
                result = new SendResult.Unanswered(SendResult.Place.BROKER, "no receipt");
            } else if (copy.inbox().equals(cutOff)) {
                result = new SendResult.Unanswered(SendResult.Place.HERE, "connection lost");
            } else if (copy.inbox().equals(rejecting)) {
                result = new SendResult.Rejected(SendResult.Ground.THE_MAIL, rejection);
            } else if (copy.inbox().equals(full)) {
                result = new SendResult.Refused(Duration.ofSeconds(1), "no room");
            }
            copies.add(new Receipt.Copy(copy.address(), copy.inbox(), result));
        }
        return new Receipt(receipt.id(), receipt.hash(), copies);
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

    /// This hive behind a broker, which stores nothing.
    Carrier behindBroker() {
        return new Carrier() {

            @Override
            public Reach reach() {
                return Far.this.reach();
            }

            @Override
            public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
                return Far.this.send(envelope);
            }

            @Override
            public Receipt send(Envelope envelope, Domain inbox)
                    throws IOException, NoSuchInboxException {
                return Far.this.send(envelope, inbox);
            }

            @Override
            public List<Domain> domains() {
                return Far.this.domains();
            }

            @Override
            public Reception recv(Actor self, Collection<Domain> inboxes, Receiver receiver)
                    throws IOException, NoSuchInboxException {
                return Far.this.recv(self, inboxes, receiver);
            }

            @Override
            public void close() {}
        };
    }
}
