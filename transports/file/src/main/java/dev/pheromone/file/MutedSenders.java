package dev.pheromone.file;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The senders of one hive whose mail is kept aside, for whoever may change that.
public final class MutedSenders {

    private final FileHive hive;

    MutedSenders(FileHive hive) {
        this.hive = hive;
    }

    /// Mutes a sender, in the place of an earlier mute; on disk when this returns. `proof` says
    /// what the word of whoever does it is worth. What waits already is put aside, too; returns how
    /// many copies that were.
    public int add(Mute mute, String proof) throws IOException {
        hive.mutes().set(mute, proof);
        hive.events().muted(mute, "mute_set", mute.by(), proof, hive.now());
        int count = 0;
        for (Domain domain : hive.addresses().domains()) {
            count += parkWaiting(domain, mute);
        }
        return count;
    }

    /// The mute holds whatever happens here: a copy that stays in its inbox is put aside by whoever
    /// selects.
    private int parkWaiting(Domain domain, Mute mute) {
        try (FileInbox inbox = new FileInbox(hive, domain)) {
            return inbox.park(mute);
        } catch (WithheldException e) {
            // Nobody takes mail out of this inbox either.
            return 0;
        } catch (IOException e) {
            hive.journal().trouble("what waits in " + domain, e);
            return 0;
        }
    }

    /// Lifts a mute, and brings what it kept to its inboxes; empty if there was none.
    public Optional<Mute> remove(Actor actor, String by, String proof) throws IOException {
        Optional<Mute> lifted = hive.mutes().lift(actor);
        if (lifted.isPresent()) {
            hive.events().muted(lifted.get(), "mute_lifted", by, proof, hive.now());
        }
        hive.parking().deliverAll(hive.now());
        return lifted;
    }

    /// Brings some of what no mute keeps any more to its inboxes, for who looks what waits there.
    public void deliverDue() throws IOException {
        hive.parking().deliverInPassing(hive.now());
    }

    /// Who is muted now.
    public List<Mute> all() throws IOException {
        Instant now = hive.now();
        return hive.mutes().all().stream().filter(mute -> !mute.isOver(now)).toList();
    }
}
