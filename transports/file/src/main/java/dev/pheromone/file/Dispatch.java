package dev.pheromone.file;

import dev.pheromone.Backpressure;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.disk.Disk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Brings an envelope to its inboxes, each of which may take it, make its sender wait, or refuse
/// it. What is there already is never refused: whoever sends again learns that it has arrived.
final class Dispatch {

    private final FileHive hive;
    private final Disk files;
    private final @Nullable Domain only;
    private boolean isDropTold;

    /// @param only the one inbox that gets a copy; all of the envelope's if null
    Dispatch(FileHive hive, @Nullable Domain only) {
        this.hive = hive;
        this.files = hive.files();
        this.only = only;
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
    Receipt send(Envelope envelope, Delays delays) throws IOException, NoSuchInboxException {
        Receipt.Wait wait;
        try (Disk.Operation _ = files.begin()) {
            Plan plan = plan(envelope);
            if (plan.longest().isNone()) {
                return publish(envelope, plan);
            }
            wait = plan.longest();
        }
        // Outside of the operation: nobody sleeps while a lock waits to be set.
        delays.await(wait.length());
        Receipt receipt = sendAtOnce(envelope);
        return new Receipt(receipt.id(), receipt.hash(), receipt.copies(), wait);
    }

    /// Sends without a delay; refused is still refused.
    Receipt sendAtOnce(Envelope envelope) throws IOException, NoSuchInboxException {
        try (Disk.Operation _ = files.begin()) {
            return publish(envelope, plan(envelope));
        }
    }

    private Plan plan(Envelope envelope) throws IOException, NoSuchInboxException {
        Instant now = hive.now();
        Map<Domain, Address> targets = targets(envelope);
        files.require(hive.layout().log(), Access.WRITE);
        for (Domain inbox : targets.keySet()) {
            files.require(hive.layout().mail(inbox, envelope.id()), Access.WRITE);
        }
        hive.parking().deliverSome(now);
        Map<Domain, SendResult.Refused> objections = new HashMap<>();
        Map<Domain, SendResult.Refused> refused = new HashMap<>();
        Receipt.Wait longest = Receipt.Wait.NONE;
        for (Domain inbox : targets.keySet()) {
            Optional<SendResult.Refused> objection =
                    hive.admission().objection(inbox, envelope, now);
            Backpressure.Admission admission =
                    objection.isPresent()
                            ? Backpressure.Admission.Admitted.AT_ONCE
                            : ask(inbox, envelope, now);
            if ((objection.isEmpty() && isFree(admission))
                    || hive.drop().earlier(inbox, envelope).isPresent()) {
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

    private Map<Domain, Address> targets(Envelope envelope)
            throws IOException, NoSuchInboxException {
        if (only == null) {
            return hive.addresses().resolve(envelope.to());
        }
        if (!hive.addresses().exists(only) || !hive.config().isAddressed(envelope.to(), only)) {
            throw new NoSuchInboxException(only.address(), hive.addresses().domains());
        }
        return Map.of(only, only.address());
    }

    private static boolean isFree(Backpressure.Admission admission) {
        return admission instanceof Backpressure.Admission.Admitted(var delay, var _)
                && delay.isZero();
    }

    private Backpressure.Admission ask(Domain inbox, Envelope envelope, Instant now)
            throws IOException {
        Backpressure.Admission pressing = hive.admission().pressing(inbox, envelope, now);
        // What is parked makes the inbox no fuller.
        return isFree(pressing) || hive.mutes().find(envelope.from(), now).isEmpty()
                ? pressing
                : Backpressure.Admission.Admitted.AT_ONCE;
    }

    private Receipt publish(Envelope envelope, Plan plan) throws IOException {
        Instant now = hive.now();
        Optional<Mute> mute = hive.mutes().find(envelope.from(), now);
        plan.objections()
                .forEach((inbox, found) -> hive.refusals().add(inbox, envelope.from(), found, now));
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Map.Entry<Domain, Address> target : plan.targets().entrySet()) {
            Domain inbox = target.getKey();
            SendResult refused = plan.refused().get(inbox);
            copies.add(
                    new Receipt.Copy(
                            target.getValue(),
                            inbox,
                            refused == null ? publish(inbox, envelope, mute, now) : refused));
        }
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    private SendResult publish(Domain inbox, Envelope envelope, Optional<Mute> mute, Instant now)
            throws WithheldException {
        try {
            SendResult result =
                    mute.isPresent()
                            ? park(inbox, envelope, mute.get(), now)
                            : hive.drop().publish(inbox, envelope, () -> tellDrop(envelope, now));
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

    private SendResult park(Domain inbox, Envelope envelope, Mute mute, Instant now)
            throws IOException {
        Optional<SendResult> earlier = hive.drop().earlier(inbox, envelope);
        if (earlier.isPresent()) {
            return earlier.get();
        }
        tellDrop(envelope, now);
        return hive.parking().park(inbox, envelope, mute, now);
    }

    /// Once, before the first copy that is new has a name: mail that is there was told of, whatever
    /// is killed in between, and of what is refused or known already there is no news.
    private void tellDrop(Envelope envelope, Instant now) {
        if (!isDropTold) {
            isDropTold = true;
            hive.journal().dropped(envelope, now);
        }
    }

    private void delivered(Domain inbox, Envelope envelope, String location, Instant now) {
        hive.journal().emitted(envelope, inbox, location, now);
        hive.admission().delivered(inbox, envelope, now);
    }
}
