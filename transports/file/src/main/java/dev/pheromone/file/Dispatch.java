package dev.pheromone.file;

import dev.pheromone.Backpressure;
import dev.pheromone.HiveConfig;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.admission.Admission;
import dev.pheromone.file.admission.Delays;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.admission.Mutes;
import dev.pheromone.file.admission.Parking;
import dev.pheromone.file.admission.Refusals;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.copy.Drop;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Brings an envelope to its inboxes, each of which may take it, make its sender wait, or refuse
/// it. What is there already is never refused: whoever sends again learns that it has arrived.
final class Dispatch {

    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;
    private final AddressBook addresses;
    private final Drop drop;
    private final Admission admission;
    private final Refusals refusals;
    private final Mutes mutes;
    private final Parking parking;
    private final Journal journal;
    private final InstantSource clock;

    Dispatch(
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            AddressBook addresses,
            Drop drop,
            Admission admission,
            Refusals refusals,
            Mutes mutes,
            Parking parking,
            Journal journal,
            InstantSource clock) {
        this.files = files;
        this.layout = layout;
        this.config = config;
        this.addresses = addresses;
        this.drop = drop;
        this.admission = admission;
        this.refusals = refusals;
        this.mutes = mutes;
        this.parking = parking;
        this.journal = journal;
        this.clock = clock;
    }

    /// What is to become of each copy.
    ///
    /// @param objections the copies that are not taken for the sender's own doing
    /// @param refused all copies that are not taken, and why
    /// @param longest the longest that one of the others has to wait
    private record Plan(
            Map<Domain, Address> targets,
            Map<Domain, SendResult.Refused> objections,
            Map<Domain, SendResult.Refused> refused,
            Receipt.Wait longest) {}

    /// Sends as soon as it may be sent.
    ///
    /// @param only the one inbox that gets a copy; all of the envelope's if null
    Receipt send(Envelope envelope, @Nullable Domain only, Delays delays)
            throws IOException, NoSuchInboxException {
        Receipt.Wait wait;
        try (Disk.Operation _ = files.begin()) {
            Plan plan = plan(envelope, only);
            if (plan.longest().isNone()) {
                return publish(envelope, plan);
            }
            wait = plan.longest();
        }
        // Outside of the operation: nobody sleeps while a lock waits to be set.
        delays.await(wait.length());
        Receipt receipt = sendAtOnce(envelope, only);
        return new Receipt(receipt.id(), receipt.hash(), receipt.copies(), wait);
    }

    /// Sends without a delay; refused is still refused.
    Receipt sendAtOnce(Envelope envelope, @Nullable Domain only)
            throws IOException, NoSuchInboxException {
        try (Disk.Operation _ = files.begin()) {
            return publish(envelope, plan(envelope, only));
        }
    }

    private Plan plan(Envelope envelope, @Nullable Domain only)
            throws IOException, NoSuchInboxException {
        Instant now = clock.instant();
        Map<Domain, Address> targets = targets(envelope, only);
        files.require(layout.log(), Access.WRITE);
        for (Domain inbox : targets.keySet()) {
            files.require(layout.mail(inbox, envelope.id()), Access.WRITE);
        }
        parking.deliverSome(now);
        Map<Domain, SendResult.Refused> objections = new HashMap<>();
        Map<Domain, SendResult.Refused> refused = new HashMap<>();
        Receipt.Wait longest = Receipt.Wait.NONE;
        for (Domain inbox : targets.keySet()) {
            Optional<SendResult.Refused> objection = admission.objection(inbox, envelope, now);
            Backpressure.Admission admission =
                    objection.isPresent()
                            ? Backpressure.Admission.Admitted.AT_ONCE
                            : ask(inbox, envelope, now);
            if ((objection.isEmpty() && isFree(admission))
                    || drop.earlier(inbox, envelope).isPresent()) {
                continue;
            }
            objection.ifPresent(found -> {
                objections.put(inbox, found);
                refused.put(inbox, found);
            });
            switch (admission) {
                case Backpressure.Admission.Admitted(var delay, var reason) -> {
                    if (delay.compareTo(longest.length()) > 0) {
                        String where = targets.size() > 1 ? inbox.address() + ": " : "";
                        longest = new Receipt.Wait(delay, where + reason);
                    }
                }
                case Backpressure.Admission.Refused(var retryAfter, var reason) ->
                        refused.put(inbox, new SendResult.Refused(retryAfter, reason));
            }
        }
        return new Plan(targets, objections, refused, longest);
    }

    private Map<Domain, Address> targets(Envelope envelope, @Nullable Domain only)
            throws IOException, NoSuchInboxException {
        if (only == null) {
            return addresses.resolve(envelope.to());
        }
        if (!addresses.exists(only) || !config.isAddressed(envelope.to(), only)) {
            throw new NoSuchInboxException(only.address(), addresses.domains());
        }
        return Map.of(only, only.address());
    }

    private static boolean isFree(Backpressure.Admission admission) {
        return admission instanceof Backpressure.Admission.Admitted(var delay, var _)
                && delay.isZero();
    }

    private Backpressure.Admission ask(Domain inbox, Envelope envelope, Instant now)
            throws IOException {
        Backpressure.Admission pressing = admission.pressing(inbox, envelope, now);
        // What is parked makes the inbox no fuller.
        return isFree(pressing) || mutes.find(envelope.from(), now).isEmpty()
                ? pressing
                : Backpressure.Admission.Admitted.AT_ONCE;
    }

    private Receipt publish(Envelope envelope, Plan plan) throws IOException {
        Instant now = clock.instant();
        Optional<Mute> mute = mutes.find(envelope.from(), now);
        plan.objections()
                .forEach((inbox, found) -> refusals.add(inbox, envelope.from(), found, now));
        Runnable news = new DropNews(envelope, now);
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Map.Entry<Domain, Address> target : plan.targets().entrySet()) {
            Domain inbox = target.getKey();
            SendResult refused = plan.refused().get(inbox);
            copies.add(
                    new Receipt.Copy(
                            target.getValue(),
                            inbox,
                            refused == null ? publish(inbox, envelope, mute, news, now) : refused));
        }
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    private SendResult publish(
            Domain inbox, Envelope envelope, Optional<Mute> mute, Runnable news, Instant now)
            throws WithheldException {
        try {
            SendResult result =
                    mute.isPresent()
                            ? park(inbox, envelope, mute.get(), news, now)
                            : drop.publish(inbox, envelope, news);
            switch (result) {
                case SendResult.Delivered(var location) ->
                        delivered(inbox, envelope, location, now);
                case SendResult.Unconfirmed(var location, var _) ->
                        delivered(inbox, envelope, location, now);
                default -> {}
            }
            return result;
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            return new SendResult.Failed(e);
        }
    }

    private SendResult park(Domain inbox, Envelope envelope, Mute mute, Runnable news, Instant now)
            throws IOException {
        Optional<SendResult> earlier = drop.earlier(inbox, envelope);
        if (earlier.isPresent()) {
            return earlier.get();
        }
        news.run();
        return parking.park(inbox, envelope, mute, now);
    }

    private void delivered(Domain inbox, Envelope envelope, String location, Instant now) {
        journal.emitted(envelope, inbox, location, now);
        admission.delivered(inbox, envelope, now);
    }

    /// Tells once that an envelope was sent, before the first copy that is new has a name: mail
    /// that is there was told of, whatever is killed in between, and of what is refused or known
    /// already there is no news.
    private final class DropNews implements Runnable {

        private final Envelope envelope;
        private final Instant now;
        private boolean isTold;

        DropNews(Envelope envelope, Instant now) {
            this.envelope = envelope;
            this.now = now;
        }

        @Override
        public void run() {
            if (!isTold) {
                isTold = true;
                journal.dropped(envelope, now);
            }
        }
    }
}
