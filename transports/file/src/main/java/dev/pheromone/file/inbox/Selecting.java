package dev.pheromone.file.inbox;

import dev.pheromone.Lease;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.admission.Mutes;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.file.copy.Inspector;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.selection.Urgency.Turn;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// Which file of one inbox is taken next, and how it is taken.
final class Selecting {

    private final Domain domain;
    private final HiveLayout layout;
    private final InboxIndex index;
    private final Turns turns;
    private final Inspector inspector;
    private final Mutes mutes;
    private final Chores chores;
    private final Intake intake;
    private final InstantSource clock;

    Selecting(
            Domain domain,
            HiveLayout layout,
            InboxIndex index,
            Turns turns,
            Inspector inspector,
            Mutes mutes,
            Chores chores,
            Intake intake,
            InstantSource clock) {
        this.domain = domain;
        this.layout = layout;
        this.index = index;
        this.turns = turns;
        this.inspector = inspector;
        this.mutes = mutes;
        this.chores = chores;
        this.intake = intake;
        this.clock = clock;
    }

    /// What a selection would take now; empty if nothing is ready. As a selection does, it takes
    /// back first what others lost, but it claims nothing and clears nothing away.
    Optional<Preview> preview() throws IOException {
        Instant now = clock.instant();
        chores.takeBack(now);
        synchronized (index) {
            index.refresh(now);
            Turn turn = turns.foreseen();
            Mutes.View muted = mutes.view(now);
            while (true) {
                Optional<Entry> picked = index.pick(now, turn);
                if (picked.isEmpty()) {
                    return Optional.empty();
                }
                Entry entry = picked.get();
                if (muted.of(entry.header().from()).isEmpty() && intake.wouldDeliver(entry, now)) {
                    return Optional.of(
                            new Preview(
                                    index.mail(layout, entry),
                                    entry.urgency().rationale(turn, index.size(), now)));
                }
                // Looked at again by the next scan.
                index.forget(entry.file());
            }
        }
    }

    /// The choice of the most urgent envelope, or of the one that is due.
    Choice inTurn() {
        return new Choice.InTurn(index, turns);
    }

    /// Renames the file that is chosen into our hands; empty if there is none.
    Optional<Intake.Attempt> claimNext(Actor worker, Lease lease, Choice choice)
            throws IOException {
        synchronized (index) {
            Instant now = clock.instant();
            chores.some(now);
            Mutes.View muted = mutes.view(now);
            while (true) {
                Optional<Entry> picked = choice.pick(now);
                if (picked.isEmpty()) {
                    return Optional.empty();
                }
                Entry entry = picked.get();
                Optional<Mute> mute = muted.of(entry.header().from());
                if (mute.isPresent()) {
                    var _ = chores.park(entry, mute.get(), now);
                    continue;
                }
                switch (inspector.look(domain, entry.file(), now)) {
                    case Sight.Gone gone -> index.forget(entry.file());
                    case Sight.Unfinished sight -> index.postpone(entry.file(), sight);
                    case Sight.Bad sight -> {
                        index.condemn(entry.file(), sight);
                        chores.some(now);
                    }
                    case Sight.Glimpse glimpse ->
                            throw new IllegalStateException("a look reads it all: " + glimpse);
                    case Sight.Mail(var _, var stat)
                            when stat.links() > 1 && chores.clearLeftover(entry, now) -> {}
                    case Sight.Mail(var envelope, var stat) -> {
                        Optional<Intake.Attempt> attempt =
                                claim(entry, envelope, stat, worker, lease, now, choice);
                        if (attempt.isPresent()) {
                            return attempt;
                        }
                    }
                }
            }
        }
    }

    private Optional<Intake.Attempt> claim(
            Entry entry,
            Envelope envelope,
            Stat stat,
            Actor worker,
            Lease lease,
            Instant now,
            Choice choice)
            throws IOException {
        History.Facts facts = intake.historyToContinue(envelope.id());
        if (facts.attempts() != entry.attempts() || !envelope.id().equals(entry.header().id())) {
            // Another process had it in the meantime: its pause and its class have changed.
            index.update(entry.file(), Header.of(envelope), stat, facts, now);
            return Optional.empty();
        }
        ClaimName claim = intake.newClaim(envelope.id(), facts.attempts() + 1, worker, lease, now);
        try {
            intake.take(entry.file(), claim);
        } catch (NoSuchFileException e) {
            index.forget(entry.file());
            return Optional.empty();
        }
        String rationale = choice.rationale(entry, index.size(), now);
        index.forget(entry.file());
        choice.picked();
        return Optional.of(new Intake.Attempt(claim, entry, facts, now, rationale));
    }
}
