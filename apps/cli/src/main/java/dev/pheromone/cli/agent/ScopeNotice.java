package dev.pheromone.cli.agent;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PathScopes;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.file.scope.Hold;
import dev.pheromone.guard.Lock;
import dev.pheromone.hooks.Decision;
import dev.pheromone.hooks.WrittenPath;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.hive.Reserving;
import dev.pheromone.session.hive.ScopeCheck;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/// What an agent is told that is about to change what another has reserved, or is at work on.
///
/// The text stands above what a person said to the agent. So there is nothing in it that others
/// chose but a name: no reason, no topic, no pattern, and the path as the agent itself wrote it.
final class ScopeNotice {

    private static final int PATH_LENGTH_MAX = 200;

    private final Invocation call;
    private final Identity identity;
    private final GuardLocks locks;

    /// @param identity the agent whose call it is
    ScopeNotice(Invocation call, Identity identity, GuardLocks locks) {
        this.call = call;
        this.identity = identity;
        this.locks = locks;
    }

    /// What stands against a call.
    ///
    /// @param blocked null where the call may go on
    record Told(String text, Decision.@Nullable Blocked blocked) {}

    /// What there is to tell of these paths; null if there is nothing. Of several, what blocks.
    @Nullable Told about(List<WrittenPath> written) {
        PathScopes scopes = null;
        Told warned = null;
        for (WrittenPath one : written) {
            scopes = scopes == null ? new PathScopes(call, identity) : scopes;
            try {
                ScopeCheck.Objection objection =
                        scopes.of(locks.hivesOver(one.path()), one.path(), one.isTree())
                                .orElse(null);
                if (objection != null && objection.isBlocked()) {
                    return blocked(one, objection.hold());
                }
                if (objection != null && warned == null) {
                    warned = new Told(text(one, objection.hold()), null);
                }
            } catch (IOException e) {
                // A path that can't be followed is nobody's.
            }
        }
        return warned;
    }

    private static Told blocked(WrittenPath path, Hold hold) {
        String text = text(path, hold);
        Lock lock = ScopeCheck.blocked(hold).lock();
        return new Told(text, new Decision.Blocked(text, lock, path.path().toString()));
    }

    private static String text(WrittenPath path, Hold hold) {
        String what =
                hold instanceof Hold.Claimed
                        ? " is in the scope of work that " + hold.holder() + " has claimed until "
                        : (path.isTree()
                                        ? " is, or has in it what is, reserved by "
                                        : " is reserved by ")
                                + hold.holder()
                                + " until ";
        return "rsm, a tool of this project, reports: "
                + shortened(SafeText.line(path.path().toString()))
                + what
                + Reserving.clock(hold.endsAt())
                + "; work on something else first, or ask with: rsm send --to worker://"
                + Identity.asName(hold.holder().name(), "actor")
                + " (all that is reserved: rsm reserve --list)";
    }

    private static String shortened(String path) {
        return path.length() <= PATH_LENGTH_MAX
                ? path
                : "…" + path.substring(path.length() - PATH_LENGTH_MAX);
    }
}
