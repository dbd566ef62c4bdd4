package dev.pheromone.cli.frame;

import dev.pheromone.HiveConfig;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.file.inbox.ClaimedScopes;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.caller.FileProblem;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Asks whether a path is what another is at work on. That is no lock: people are warned, unless
/// `hive.yaml` says otherwise.
public final class ScopeCheck {

    /// As a lock's source, where it is another's claim that stands in the way.
    static final String SOURCE = "scope";

    private final Invocation call;

    public ScopeCheck(Invocation call) {
        this.call = call;
    }

    /// Blocked only where the hive wants scopes to block. What can't be read says nothing.
    public Verdict verdict(Guards.Having hives, Path path, String typed) {
        for (Guards.Guarded hive : hives.hives()) {
            ClaimedScopes scopes = new ClaimedScopes(hive.layout(), hive.guard());
            try {
                List<ClaimedScopes.Work> others = scopes.covering(path, call.actor(), call.now());
                if (!others.isEmpty()) {
                    ClaimedScopes.Work work = others.getFirst();
                    HiveConfig.ScopePolicy policy = scopes.policy();
                    if (policy == HiveConfig.ScopePolicy.BLOCK) {
                        return new Verdict.Blocked(
                                new Lock(
                                        LockKind.DO_NOT_ALTER,
                                        work.scope(),
                                        SOURCE,
                                        work.location()),
                                "it is in the scope of work that " + what(work));
                    }
                    if (policy == HiveConfig.ScopePolicy.WARN) {
                        call.warn(typed + " is in the scope of work that " + what(work));
                    }
                }
            } catch (WithheldException e) {
                // Nobody may look, so nobody is warned.
            } catch (IOException e) {
                call.warn("the claims of others can't be read: " + FileProblem.describe(e));
            } catch (MalformedYamlException e) {
                call.warn(String.valueOf(e.getMessage()));
            }
        }
        return Verdict.ALLOWED;
    }

    private static String what(ClaimedScopes.Work work) {
        return work.worker() + " has claimed: " + work.topic();
    }
}
