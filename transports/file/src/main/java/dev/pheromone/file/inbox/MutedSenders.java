package dev.pheromone.file.inbox;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.file.admission.AdmissionEvents;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.admission.Mutes;
import dev.pheromone.file.admission.Parking;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// The senders of one hive whose mail is kept aside, for whoever may change that.
public final class MutedSenders {

    private final Mutes mutes;
    private final Parking parking;
    private final AdmissionEvents events;
    private final AddressBook addresses;
    private final Inboxes inboxes;
    private final Journal journal;
    private final InstantSource clock;

    public MutedSenders(
            Mutes mutes,
            Parking parking,
            AdmissionEvents events,
            AddressBook addresses,
            Inboxes inboxes,
            Journal journal,
            InstantSource clock) {
        this.mutes = mutes;
        this.parking = parking;
        this.events = events;
        this.addresses = addresses;
        this.inboxes = inboxes;
        this.journal = journal;
        this.clock = clock;
    }

    /// Mutes a sender, in the place of an earlier mute; on disk when this returns. `proof` says
    /// what the word of whoever does it is worth. What waits already is put aside, too; returns how
    /// many copies that were.
    public int add(Mute mute, String proof) throws IOException {
        mutes.set(mute, proof);
        events.muted(mute, "mute_set", mute.by(), proof, clock.instant());
        int count = 0;
        for (Domain domain : addresses.domains()) {
            count += parkWaiting(domain, mute);
        }
        return count;
    }

    /// The mute holds whatever happens here: a copy that stays in its inbox is put aside by whoever
    /// selects.
    private int parkWaiting(Domain domain, Mute mute) {
        try (FileInbox inbox = inboxes.open(domain)) {
            return inbox.park(mute);
        } catch (WithheldException e) {
            // Nobody takes mail out of this inbox either.
            return 0;
        } catch (IOException e) {
            journal.trouble("what waits in " + domain, e);
            return 0;
        }
    }

    /// Lifts a mute, and brings what it kept to its inboxes; empty if there was none.
    public Optional<Mute> remove(Actor actor, String by, String proof) throws IOException {
        Optional<Mute> lifted = mutes.lift(actor);
        if (lifted.isPresent()) {
            events.muted(lifted.get(), "mute_lifted", by, proof, clock.instant());
        }
        parking.deliverAll(clock.instant());
        return lifted;
    }

    /// Brings some of what no mute keeps any more to its inboxes, for who looks what waits there.
    public void deliverDue() throws IOException {
        parking.deliverInPassing(clock.instant());
    }

    /// Who is muted now.
    public List<Mute> all() throws IOException {
        Instant now = clock.instant();
        return mutes.all().stream().filter(mute -> !mute.isOver(now)).toList();
    }
}
