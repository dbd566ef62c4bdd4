package dev.pheromone.file.admission;

import dev.pheromone.Backpressure;
import dev.pheromone.Backpressure.Cause;
import dev.pheromone.Backpressure.Load;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.admission.PressureMark.Held;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.Journal;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntSupplier;

/// How full one inbox is, and whether that is too full, as far as this process knows: it looks at
/// most once a second, and so do all processes together where looking is dear.
///
/// Whatever goes wrong with these files keeps no mail from its way. Safe for use by several
/// threads.
public final class InboxPressure {

    private final Domain domain;
    private final BackpressureLimits limits;
    private final PressureMark mark;
    private final InboxCounter counter;
    private final Journal journal;

    private @Nullable Instant lookedAt;
    private InboxCount count = InboxCount.UNKNOWN;
    private @Nullable Held held;

    InboxPressure(
            Domain domain,
            BackpressureLimits limits,
            PressureMark mark,
            InboxCounter counter,
            Journal journal) {
        this.domain = domain;
        this.limits = limits;
        this.mark = mark;
        this.counter = counter;
        this.journal = journal;
    }

    /// What this inbox does to an envelope of class `priority`, whose sender put `sent` others in
    /// during the last minute.
    synchronized Backpressure.Admission admit(Priority priority, IntSupplier sent, Instant now) {
        look(now);
        return Backpressure.admit(priority, domain, cause(), count.load(now), sent, limits);
    }

    private @Nullable Cause cause() {
        Held found = held;
        return found == null ? null : found.cause();
    }

    /// Whether the inbox is under backpressure.
    public synchronized boolean isHeld(Instant now) {
        look(now);
        return held != null;
    }

    /// Whether the mark is on the disk: a look, which judges nothing.
    public boolean isMarked() {
        return marked().isPresent();
    }

    /// Why and since when the inbox is under backpressure, as the mark on the disk says; a look,
    /// which judges nothing.
    public synchronized Optional<Throttled> marked() {
        readMark();
        return Optional.ofNullable(held).map(found -> new Throttled(found.cause(), found.since()));
    }

    /// One more waits.
    synchronized void delivered(Instant now) {
        count = count.plusOne(now);
        if (held == null && count.depth() > limits.depthMax()) {
            judge(now);
        }
    }

    /// Takes over what a reader knows better.
    public synchronized void observe(InboxIndex index, Instant now) {
        if (!isFresh(now) || !count.isExact()) {
            count = new InboxCount(index.size(), index.oldestWaiting(now).orElse(null), true);
            lookedAt = now;
            counter.share(count, now);
            readMark();
            judge(now);
        } else if (count.depth() != index.size()) {
            count = count.withDepth(index.size());
            judge(now);
        }
    }

    /// Judges anew.
    public synchronized void review(InboxIndex index, Instant now) {
        lookedAt = null;
        observe(index, now);
    }

    /// Tells what others could not tell any more.
    public synchronized void finish(Instant now) {
        look(now);
        try {
            mark.finish(count.load(now), now);
        } catch (IOException e) {
            journal.trouble("backpressure of " + domain, e);
        }
    }

    private boolean isFresh(Instant now) {
        return lookedAt != null
                && !now.isBefore(lookedAt)
                && now.isBefore(lookedAt.plus(InboxCounter.FRESH));
    }

    private void look(Instant now) {
        if (isFresh(now)) {
            return;
        }
        lookedAt = now;
        try {
            count = counter.count(now);
        } catch (IOException e) {
            count = count.outdated();
            journal.trouble("depth of " + domain, e);
        }
        readMark();
        judge(now);
    }

    private void readMark() {
        try {
            held = mark.read().orElse(null);
        } catch (IOException e) {
            journal.trouble("backpressure of " + domain, e);
        }
    }

    /// What is not known ends nothing: that the rest is young must have been seen.
    private void judge(Instant now) {
        Load load = count.load(now);
        try {
            Held found = held;
            if (found == null) {
                Optional<Cause> cause = Backpressure.entered(load, limits);
                if (cause.isPresent()) {
                    held = mark.enter(cause.get(), load, now).orElse(null);
                }
            } else if (count.isExact() && Backpressure.isOver(load, limits)) {
                mark.leave(load, now);
                held = null;
            } else if (!found.told()) {
                mark.tellLate(found, now);
            }
        } catch (IOException e) {
            journal.trouble("backpressure of " + domain, e);
        }
    }
}
