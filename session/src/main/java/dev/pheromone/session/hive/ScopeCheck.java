package dev.pheromone.session.hive;

import dev.pheromone.HiveConfig.ScopePolicy;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.scope.Hold;
import dev.pheromone.file.scope.Holds;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.Identity;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Decides what a change of a path means to others who have reserved it, or are at work on it. That
/// is no lock: an agent is warned, or stopped where `hive.yaml` says so, and a person is warned at
/// most.
///
/// One object is for one moment.
public final class ScopeCheck {

    /// As a lock's source, where it is not a person's lock, but the scope of another's claim that
    /// stands in the way.
    public static final String SCOPE = "scope";

    /// The same, where another has reserved the path.
    public static final String RESERVATION = "reservation";

    /// What stands against a change, and whether it may go on.
    ///
    /// @param isBlocked false where the change is only warned of
    public record Objection(Hold hold, boolean isBlocked) {}

    private final String user;
    private final Identity identity;
    private final Holds holds;
    private final Departures departures;
    private final Set<String> troubles = new LinkedHashSet<>();

    /// @param identity whose change it is: a hook asks for its agent
    public ScopeCheck(
            Caller caller,
            Identity identity,
            HiveLayout layout,
            PolicyGuard guard,
            Departures departures) {
        this.user = caller.user();
        this.identity = identity;
        this.holds = new Holds(layout, guard, identity.actor(), caller.now());
        this.departures = departures;
    }

    /// What stands against a change of `path`. What can't be read stands against nothing.
    public Optional<Objection> of(Path path) {
        return of(path, false);
    }

    /// The same of a folder and all that is below it.
    public Optional<Objection> ofTree(Path folder) {
        return of(folder, true);
    }

    private Optional<Objection> of(Path path, boolean isTree) {
        try {
            List<Hold> found = isTree ? holds.reachedIn(path) : holds.covering(path);
            for (String file : holds.unreadable()) {
                troubles.add("a reservation can't be read, and counts for nothing: " + file);
            }
            for (Hold hold : found) {
                if (!isOver(hold, departures)) {
                    return objection(hold, holds.policy());
                }
            }
        } catch (WithheldException e) {
            // Nobody may look, so nobody is warned.
        } catch (IOException e) {
            troubles.add("what others have reserved can't be read: " + FileProblem.describe(e));
        } catch (MalformedYamlException e) {
            troubles.add(String.valueOf(e.getMessage()));
        }
        return Optional.empty();
    }

    /// What could not be read, for people. A hook keeps it to itself: there are names in it that
    /// anybody could choose.
    public Set<String> troubles() {
        return troubles;
    }

    /// A claim comes back by its lease, whatever became of its holder.
    static boolean isOver(Hold hold, Departures departures) throws IOException {
        return hold instanceof Hold.Reserved && departures.hasLeft(hold.holder());
    }

    private Optional<Objection> objection(Hold hold, ScopePolicy policy) {
        return switch (policy) {
            case OFF -> Optional.empty();
            case WARN -> Optional.of(new Objection(hold, false));
            case BLOCK -> Optional.of(new Objection(hold, !identity.isPerson(user)));
        };
    }

    /// The verdict where others hold what was to be changed, and the hive wants that to block.
    ///
    /// @param told what is said of the hold
    static Verdict.Blocked blocked(Hold hold, String told) {
        return new Verdict.Blocked(
                new Lock(
                        LockKind.DO_NOT_ALTER,
                        hold.paths().getFirst(),
                        hold instanceof Hold.Claimed ? SCOPE : RESERVATION,
                        hold.location()),
                "it " + told);
    }

    /// As [#blocked(Hold, String)], with all that there is to say.
    public static Verdict.Blocked blocked(Hold hold) {
        return blocked(hold, told(hold));
    }

    /// What to say of it, after the name of the path: `is reserved by ada until 14:20Z: the
    /// parser`.
    public static String told(Hold hold) {
        String why =
                switch (hold) {
                    case Hold.Reserved reserved -> reserved.reservation().why();
                    case Hold.Claimed claimed -> claimed.topic();
                };
        return toldBriefly(hold) + (why.isEmpty() ? "" : ": " + why);
    }

    /// The same without the words of whoever reserved it, or wrote the mail.
    public static String toldBriefly(Hold hold) {
        return switch (hold) {
            case Hold.Reserved _ ->
                    "is reserved by " + hold.holder() + " until " + Reserving.clock(hold.endsAt());
            case Hold.Claimed _ -> "is in the scope of work that " + hold.holder() + " has claimed";
        };
    }
}
