package dev.pheromone.cli;

import dev.pheromone.ContentHash;
import dev.pheromone.file.HiveLayout;
import dev.pheromone.file.HiveRoot;
import dev.pheromone.file.LockFiles;
import dev.pheromone.file.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.Verdict;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The guards that have a say over a path: those of the hives in which the command was typed, since
/// a content can be locked wherever it lies, and those of the hives in which the path lies.
final class Guards {

    private final Invocation call;
    private final @Nullable HiveLayout known;
    private final List<Guarded> opened = new ArrayList<>();

    /// One hive and its guard.
    record Guarded(HiveLayout layout, LockFiles guard) {}

    Guards(Invocation call) {
        this(call, null);
    }

    /// @param known the hive that counts as the one in which the command was typed
    Guards(Invocation call, @Nullable HiveLayout known) {
        this.call = call;
        this.known = known;
    }

    /// The guards of one path.
    ///
    /// @param unclear why it can't be told which they are; null if it can
    record Having(List<Guarded> hives, @Nullable String unclear) {

        boolean isInHive() {
            return unclear != null || !hives.isEmpty();
        }

        /// What the first of them that forbids it says.
        Verdict check(Path path, Access access, @Nullable ContentHash content) {
            if (unclear != null) {
                return new Verdict.Blocked(
                        new Lock(LockKind.DNR, "**", "uncertain", HiveLayout.HIVE_FOLDER), unclear);
            }
            for (Guarded hive : hives) {
                Verdict verdict =
                        content == null
                                ? hive.guard().check(path, access)
                                : hive.guard().checkContent(path, content);
                if (verdict instanceof Verdict.Blocked) {
                    return verdict;
                }
            }
            return Verdict.ALLOWED;
        }

        /// The leave to write `content` there in spite of a lock; none if one of them forbids it.
        Optional<Permission> permission(Path path, ContentHash content) {
            Permission leave = null;
            for (Guarded hive : hives) {
                Permission found = hive.guard().permission(path, content).orElse(null);
                if (found == null
                        && hive.guard().check(path, Access.ERASE) instanceof Verdict.Blocked) {
                    return Optional.empty();
                }
                leave = found == null ? leave : found;
            }
            return unclear == null ? Optional.ofNullable(leave) : Optional.empty();
        }
    }

    Having over(Path path) throws IOException {
        List<Guarded> hives = new ArrayList<>();
        try {
            HiveLayout here = here();
            if (here != null) {
                add(here, hives);
                for (HiveLayout outer : HiveRoot.around(here.root())) {
                    add(outer, hives);
                }
            }
            for (Guarded hive : hives) {
                if (hive.guard().isHidden(path)) {
                    // Not even followed to where it leads: that would be to look at it.
                    return new Having(hives, null);
                }
            }
            for (HiveLayout around : HiveRoot.around(path)) {
                add(around, hives);
            }
        } catch (NoHiveException e) {
            return new Having(List.of(), String.valueOf(e.getMessage()));
        }
        return new Having(hives, null);
    }

    private void add(HiveLayout layout, List<Guarded> hives) {
        Guarded guarded = guarded(layout);
        if (!hives.contains(guarded)) {
            hives.add(guarded);
        }
    }

    /// The hive that was named, which must be there, or the one around the working folder.
    @Nullable HiveLayout here() throws NoHiveException, IOException {
        if (known != null) {
            return known;
        }
        if (call.namedRoot() != null) {
            return OpenHive.find(call);
        }
        return around(call.surroundings().cwd());
    }

    /// The hive around a folder, if there is one.
    static @Nullable HiveLayout around(Path folder) throws NoHiveException, IOException {
        try {
            return HiveRoot.find(folder);
        } catch (NoHiveException e) {
            if (!e.isCertain()) {
                throw e;
            }
            return null;
        }
    }

    private Guarded guarded(HiveLayout layout) {
        for (Guarded known : opened) {
            if (known.layout().root().equals(layout.root())) {
                return known;
            }
        }
        Guarded guarded = new Guarded(layout, OpenHive.guard(call, layout));
        opened.add(guarded);
        return guarded;
    }
}
