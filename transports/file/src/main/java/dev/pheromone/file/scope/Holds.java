package dev.pheromone.file.scope;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Actor;
import dev.pheromone.config.HiveFiles;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockPattern;
import dev.pheromone.lock.PathForms;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The paths that others than one actor hold at one moment, by a reservation or a claim.
///
/// Nothing is read before the first question, and no file where nothing is reserved or claimed.
public final class Holds {

    /// Longer than this is hardly the ending of a file's name.
    private static final int ENDING_LENGTH_MAX = 8;

    private final Disk files;
    private final HiveLayout layout;
    private final PathForms forms;
    private final Actor self;
    private final Instant now;
    private @Nullable List<Held> held;
    private List<String> unreadable = List.of();

    /// @param self whose own holds don't count
    public Holds(HiveLayout layout, PolicyGuard guard, Actor self, Instant now) {
        this.files = new GuardedFiles(new LocalDisk(), guard);
        this.layout = layout;
        this.forms = new PathForms(new LocalDisk(), layout);
        this.self = self;
        this.now = now;
    }

    /// One pattern that is held.
    private record Held(LockPattern pattern, Hold hold) {}

    /// What this hive does about the holds of others.
    public HiveConfig.ScopePolicy policy() throws IOException, MalformedYamlException {
        return new HiveFiles(files, layout).config().scopes();
    }

    /// Reservations that can't be read, each with the reason; known after the first question.
    public List<String> unreadable() {
        return unreadable;
    }

    /// The holds of others that cover `path`.
    public List<Hold> covering(Path path) throws IOException {
        return meeting(path, false);
    }

    /// The holds of others that cover `folder`, or something that may lie in there.
    public List<Hold> reachedIn(Path folder) throws IOException {
        return meeting(folder, true);
    }

    private List<Hold> meeting(Path path, boolean isWithBelow) throws IOException {
        List<Held> others = held();
        if (others.isEmpty()) {
            return List.of();
        }
        Set<List<String>> names = forms.of(path);
        List<Hold> found = new ArrayList<>();
        for (Held one : others) {
            if (!found.contains(one.hold()) && meets(one.pattern(), names, isWithBelow)) {
                found.add(one.hold());
            }
        }
        return found;
    }

    private static boolean meets(LockPattern pattern, Set<List<String>> names, boolean withBelow) {
        for (List<String> form : names) {
            if (pattern.covers(form) || (withBelow && pattern.mayCoverBelow(form))) {
                return true;
            }
        }
        return false;
    }

    /// The holds of others that overlap what one of `patterns` covers, of which `view` has the
    /// reservations.
    public List<Hold> overlapping(List<String> patterns, Reservations.View view)
            throws IOException {
        List<LockPattern> wanted = new ArrayList<>();
        for (String pattern : patterns) {
            wanted.add(asFiles(LockPattern.parse(forms.normal(pattern))));
        }
        List<Hold> found = new ArrayList<>();
        for (Held one : held(view)) {
            LockPattern other = asFiles(one.pattern());
            if (!found.contains(one.hold()) && wanted.stream().anyMatch(other::overlaps)) {
                found.add(one.hold());
            }
        }
        return found;
    }

    /// The pattern, as one of files if that is what it names: a file that is there, or a last name
    /// with an ending. Else `**/*.md` would overlap whatever anybody reserves.
    private LockPattern asFiles(LockPattern pattern) throws IOException {
        String text = pattern.toString();
        Optional<Stat> stat = statOf(text);
        boolean isOfFiles = stat.isPresent() ? stat.get().isFile() : hasEnding(text);
        return isOfFiles ? pattern.ofFiles() : pattern;
    }

    private Optional<Stat> statOf(String pattern) throws IOException {
        boolean isPlain = true;
        for (int i = 0; i < pattern.length(); i++) {
            isPlain &= "*?[{\\\0".indexOf(pattern.charAt(i)) < 0;
        }
        try {
            return isPlain
                    ? files.stat(layout.root().resolve(pattern).normalize())
                    : Optional.empty();
        } catch (WithheldException e) {
            // A lock hides it: the name has to do.
            return Optional.empty();
        }
    }

    /// Whether the last name ends as those of files do: in a dot and one to eight letters or
    /// digits.
    private static boolean hasEnding(String pattern) {
        String name = pattern.substring(pattern.lastIndexOf('/') + 1);
        int dot = name.lastIndexOf('.');
        int length = name.length() - dot - 1;
        if (dot < 1 || length < 1 || length > ENDING_LENGTH_MAX) {
            return false;
        }
        for (int i = dot + 1; i < name.length(); i++) {
            if (!Character.isLetterOrDigit(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private List<Held> held() throws IOException {
        List<Held> known = held;
        if (known == null) {
            known = held(new Reservations(files, layout).view(now));
            held = known;
        }
        return known;
    }

    private List<Held> held(Reservations.View view) throws IOException {
        unreadable = view.unreadable();
        List<Held> all = new ArrayList<>();
        for (Hold.Reserved hold : view.live()) {
            if (!hold.holder().equals(self)) {
                for (String path : hold.paths()) {
                    add(path, hold, all);
                }
            }
        }
        for (Hold.Claimed hold : new ClaimedScopes(files, layout).ofOthers(self, now)) {
            add(hold.scope(), hold, all);
        }
        return all;
    }

    /// A scope need not be a path at all.
    private void add(String path, Hold hold, List<Held> all) {
        try {
            String name = layout.nameOf(layout.root().resolve(path));
            if (!path.isBlank() && !name.startsWith("/")) {
                all.add(new Held(LockPattern.parse(forms.normal(name)), hold));
            }
        } catch (IllegalArgumentException e) {
            // Nobody can tell what it is about.
        }
    }
}
