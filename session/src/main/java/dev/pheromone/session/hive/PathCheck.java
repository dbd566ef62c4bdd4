package dev.pheromone.session.hive;

import dev.pheromone.HiveConfig;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.inbox.ClaimedScopes;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Whether a path may be touched: what the locks say of the caller's hive and of those around the
/// path, and who else is at work on it.
public final class PathCheck {

    /// As a lock's source, where it is another's claim that stands in the way.
    private static final String SOURCE = "scope";

    private final Caller caller;
    private final OpenHive hive;

    public PathCheck(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// What is said of one path.
    ///
    /// @param work what somebody else does there; null if nobody is known to
    public record Checked(Verdict verdict, @Nullable String work) {}

    /// May `path` be touched so?
    public Checked check(Path path, Access access) throws IOException {
        Verdict verdict = hive.guard().check(path, access);
        if (verdict instanceof Verdict.Blocked) {
            return new Checked(verdict, null);
        }
        try {
            for (HiveLayout around : HiveRoot.around(path)) {
                if (!around.root().equals(hive.layout().root())) {
                    LockFiles guard = OpenHive.guard(caller, around);
                    verdict = guard.check(path, access);
                    if (verdict instanceof Verdict.Blocked) {
                        return new Checked(verdict, null);
                    }
                }
            }
        } catch (NoHiveException e) {
            // Whose locks count can't be told, so all of them may.
            return new Checked(
                    new Verdict.Blocked(
                            new Lock(LockKind.DNR, "**", "uncertain", HiveLayout.HIVE_FOLDER),
                            String.valueOf(e.getMessage())),
                    null);
        }
        return access == Access.WRITE ? scoped(path) : new Checked(Verdict.ALLOWED, null);
    }

    private Checked scoped(Path path) throws IOException {
        ClaimedScopes scopes = new ClaimedScopes(hive.layout(), hive.guard());
        List<ClaimedScopes.Work> others;
        try {
            others = scopes.covering(path, caller.actor(), caller.now());
        } catch (WithheldException e) {
            // Nobody may look, so nobody is warned.
            return new Checked(Verdict.ALLOWED, null);
        }
        if (others.isEmpty()) {
            return new Checked(Verdict.ALLOWED, null);
        }
        ClaimedScopes.Work work = others.getFirst();
        String said = work.worker() + " has claimed work on " + work.scope();
        HiveConfig.ScopePolicy policy;
        try {
            policy = scopes.policy();
        } catch (MalformedYamlException e) {
            throw new ProblemException(
                    ProblemException.Code.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
        return switch (policy) {
            case OFF -> new Checked(Verdict.ALLOWED, null);
            case WARN -> new Checked(Verdict.ALLOWED, said);
            case BLOCK ->
                    new Checked(
                            new Verdict.Blocked(
                                    new Lock(
                                            LockKind.DO_NOT_ALTER,
                                            work.scope(),
                                            SOURCE,
                                            work.location()),
                                    said),
                            said);
        };
    }
}
