package dev.pheromone.session.look;

import dev.pheromone.hive.Forager;
import dev.pheromone.hive.Pheromone;
import dev.pheromone.hive.Pheromones;
import dev.pheromone.hive.Scent;
import dev.pheromone.rse.RseEvent.PheromoneDrop;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Lanes;
import dev.pheromone.session.hive.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;

/// The signals of a hive: left by anybody, addressed to nobody, and fading.
public final class Signals {

    private final Caller caller;
    private final OpenHive hive;

    public Signals(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// Leaves `drop`, and returns what can be sensed now of all such drops; of this one alone if it
    /// can't be sensed, because it announces mail.
    ///
    /// @param corrects the earlier event that this one sets right; null if there is none
    public Pheromone drop(PheromoneDrop drop, @Nullable String corrects) throws IOException {
        if (!hive.config().allows(drop.lane())) {
            throw Lanes.unknown(hive.config(), drop.lane().name());
        }
        hive.log().append(corrects == null ? drop : drop.correcting(corrects), Durability.DISK);
        try {
            List<Pheromone> found =
                    forager()
                            .sensed(
                                    other ->
                                            other.lane().equals(drop.lane())
                                                    && other.topic().equals(drop.topic()),
                                    drop.ts());
            if (!found.isEmpty()) {
                return found.getFirst();
            }
        } catch (IOException e) {
            // It is dropped, whatever else can be told: to say otherwise would have it dropped
            // twice.
        }
        Pheromones alone = new Pheromones(drop.ts(), hive.config().halfLife(), Scent.ANY);
        alone.take(drop);
        return alone.sensed().getFirst();
    }

    /// The live signals, strongest first, of those drops that are wanted.
    public List<Pheromone> sensed(Predicate<PheromoneDrop> wanted) throws IOException {
        return forager().sensed(wanted, caller.now());
    }

    private Forager forager() {
        return new Forager(hive.log(), hive.config().halfLife(), caller.actor());
    }
}
