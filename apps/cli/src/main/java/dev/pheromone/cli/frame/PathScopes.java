package dev.pheromone.cli.frame;

import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.hive.Departures;
import dev.pheromone.session.hive.ScopeCheck;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What others have reserved or are at work on, in all the hives that a path lies in. Each hive is
/// asked once for what it holds.
public final class PathScopes {

    private final Invocation call;
    private final Identity identity;
    private final Map<Guards.Guarded, ScopeCheck> checks = new HashMap<>();

    /// @param identity whose changes are asked about
    public PathScopes(Invocation call, Identity identity) {
        this.call = call;
        this.identity = identity;
    }

    /// The first objection of one of `hives` to a change of `path`; one that blocks comes before
    /// one that warns.
    ///
    /// @param isTree whether all that is below `path` changes, too
    public Optional<ScopeCheck.Objection> of(
            List<Guards.Guarded> hives, Path path, boolean isTree) {
        Optional<ScopeCheck.Objection> first = Optional.empty();
        for (Guards.Guarded hive : hives) {
            ScopeCheck check = check(hive);
            Optional<ScopeCheck.Objection> found = isTree ? check.ofTree(path) : check.of(path);
            if (found.isPresent() && found.get().isBlocked()) {
                return found;
            }
            first = first.isPresent() ? first : found;
        }
        return first;
    }

    /// Tells people what could not be read.
    public void warn() {
        for (ScopeCheck check : checks.values()) {
            check.troubles().forEach(call::warn);
        }
    }

    private ScopeCheck check(Guards.Guarded hive) {
        ScopeCheck known = checks.get(hive);
        if (known == null) {
            known =
                    new ScopeCheck(
                            call,
                            identity,
                            hive.layout(),
                            hive.guard(),
                            Departures.of(hive.layout(), hive.guard()));
            checks.put(hive, known);
        }
        return known;
    }
}
