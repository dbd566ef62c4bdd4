package dev.pheromone.session.hive;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.caller.Caller;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/// Whether a path may be touched: what the locks say of the caller's hive and of those around the
/// path, and who else is at work on it.
public final class PathCheck {

    private final Caller caller;
    private final OpenHive hive;

    public PathCheck(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// What is said of one path.
    ///
    /// @param work what somebody else does there, after the name of the path; null if nobody is
    ///   known to
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

    private Checked scoped(Path path) {
        ScopeCheck.Objection objection =
                new ScopeCheck(
                                caller,
                                caller.identity(),
                                hive.layout(),
                                hive.guard(),
                                Departures.of(hive.layout(), hive.guard()))
                        .of(path)
                        .orElse(null);
        if (objection == null) {
            return new Checked(Verdict.ALLOWED, null);
        }
        // Whoever asks may not be one who may read the mail: its topic is left out.
        String told = ScopeCheck.toldBriefly(objection.hold());
        return objection.isBlocked()
                ? new Checked(ScopeCheck.blocked(objection.hold(), told), null)
                : new Checked(Verdict.ALLOWED, told);
    }
}
