package dev.pheromone.file.copy;

import dev.pheromone.address.Actor;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.rse.RseLog;

/// The copies of one hive in the hands of one actor: what is done to a copy stands in its history
/// and in the event log under that actor's name.
public final class Copies {

    private final Disk files;
    private final HiveLayout layout;
    private final FileLimits limits;
    private final LifeLimits life;
    private final RseLog log;
    private final Actor self;
    private final Journal journal;
    private final Inspector inspector;
    private final History history;
    private final SeenSet seen;
    private final Leftovers leftovers;
    private final ClockDoubt clockDoubt;
    private final ClaimedFiles claims;
    private final Aside asides;
    private final Burial burial;

    public Copies(
            Disk files,
            HiveLayout layout,
            FileLimits limits,
            LifeLimits life,
            RseLog log,
            Actor self) {
        this.files = files;
        this.layout = layout;
        this.limits = limits;
        this.life = life;
        this.log = log;
        this.self = self;
        this.journal = new Journal(log, self);
        this.inspector = new Inspector(files, layout, limits);
        this.history = new History(files, layout, self);
        this.seen = new SeenSet(files, layout);
        this.leftovers = new Leftovers(files, layout, history);
        this.clockDoubt = new ClockDoubt(files, layout, journal);
        this.claims =
                new ClaimedFiles(
                        files, layout, seen, history, inspector, leftovers, clockDoubt, life);
        this.asides = new Aside(files, layout, claims, inspector, leftovers, self);
        this.burial = new Burial(files, layout, inspector, history, journal, asides);
    }

    /// The same copies in the hands of `actor`.
    public Copies as(Actor actor) {
        return actor.equals(self) ? this : new Copies(files, layout, limits, life, log, actor);
    }

    /// In whose name it is done.
    public Actor self() {
        return self;
    }

    /// Tells the event log.
    public Journal journal() {
        return journal;
    }

    /// Looks at single files.
    public Inspector inspector() {
        return inspector;
    }

    /// What happened to each copy.
    public History history() {
        return history;
    }

    /// Which envelopes are finished.
    public SeenSet seen() {
        return seen;
    }

    /// Finds names that a power cut brought back.
    public Leftovers leftovers() {
        return leftovers;
    }

    /// Says whether mail may be ended because its time is over.
    public ClockDoubt clockDoubt() {
        return clockDoubt;
    }

    /// Moves claimed copies from one state to the next.
    public ClaimedFiles claims() {
        return claims;
    }

    /// Takes files out of an inbox before they are judged for good.
    public Aside asides() {
        return asides;
    }

    /// Archives what ends without anybody's work.
    public Burial burial() {
        return burial;
    }
}
