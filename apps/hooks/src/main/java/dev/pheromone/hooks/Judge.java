package dev.pheromone.hooks;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.Verdict;

import org.jspecify.annotations.Nullable;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Holds what a tool call would touch against the locks.
final class Judge {
    private static final String MIRROR = ".embargo";

    /// The folders of a hive's own files.
    private static final List<String> OWN = List.of(".deia", MIRROR);

    private static final String SPEAKS_OF = ", and it speaks of ";
    private static final String FOR_PEOPLE = ", where only people change things";

    /// The way out of most doubts.
    private static final String PLAINLY = "; name the paths plainly";

    private static final int REASON_LENGTH_MAX = 300;

    private static final Shape PROCESSES = Shape.of("/proc/*/**").withWildcards();
    private static final Shape OPEN_FILES_PARENT = Shape.of("/dev/fd/../**").withWildcards();

    private final Locks locks;
    private final List<LockedArea> areas;
    private final PeoplesFiles peoples;

    Judge(Locks locks) {
        this.locks = locks;
        this.areas = plainFirst(locks.areas());
        this.peoples = new PeoplesFiles(locks);
    }

    /// What people have locked comes before our own records: reasons name the first that fits.
    private static List<LockedArea> plainFirst(List<LockedArea> areas) {
        var sorted = new ArrayList<>(areas);
        sorted.sort(Comparator.comparing(area -> area.lock().path().startsWith(MIRROR)));
        return List.copyOf(sorted);
    }

    Decision decide(Touches found) {
        for (String what : found.forPeople()) {
            return blocked(what + " is for people", PeoplesFiles.lock("**"), what);
        }
        var overridden = new ArrayList<PermittedWrite>();
        for (Touch touch : found.touches()) {
            Optional<Decision.Blocked> blocked = peoples.blocked(touch, writtenForms(touch));
            if (blocked.isEmpty()) {
                blocked =
                        locked(touch)
                                .or(() -> moved(touch, found.moves()))
                                .or(() -> running(touch));
                Optional<PermittedWrite> leave =
                        blocked.isEmpty() ? Optional.empty() : permitted(touch);
                leave.ifPresent(overridden::add);
                blocked = leave.isPresent() ? Optional.empty() : blocked;
            }
            if (blocked.isPresent()) {
                return blocked.get();
            }
        }
        for (Doubt doubt : found.doubts()) {
            if (isSettled(doubt)) {
                continue;
            }
            Optional<Decision.Blocked> mentioned = mentioned(doubt, found.texts());
            if (mentioned.isPresent()) {
                return mentioned.get();
            }
            for (LockedArea area : areas) {
                if (meets(area.forbids(), doubt.access())) {
                    return blocked(
                            "can't tell what this touches ("
                                    + doubt.reason()
                                    + "), and "
                                    + describe(area)
                                    + PLAINLY,
                            area.lock(),
                            area.lock().path());
                }
            }
        }
        Optional<LockedArea> named = Mentions.find(found.mentions(), areas);
        if (named.isPresent()) {
            LockedArea area = named.get();
            return blocked(
                    "a text that may be run speaks of what is locked: " + describe(area),
                    area.lock(),
                    area.lock().path());
        }
        return overridden.isEmpty() ? Decision.FREE : new Decision.Free(overridden);
    }

    private boolean isSettled(Doubt doubt) {
        for (Shape path : doubt.settledBy()) {
            Shape form = PathShapes.normal(path).iterator().next();
            int slash = form.toString().lastIndexOf('/');
            boolean isThere =
                    !path.contains(Shape.ABOVE)
                            && form.isPlain()
                            && slash >= 0
                            && locks.names(Path.of(form.toString().substring(0, slash) + "/"))
                                    .contains(form.toString().substring(slash + 1));
            if (isThere) {
                return true;
            }
        }
        return false;
    }

    /// What can't be followed, and speaks of what only people change.
    private Optional<Decision.Blocked> mentioned(Doubt doubt, List<String> texts) {
        if (!doubt.access().contains(Access.WRITE) && !doubt.access().contains(Access.ERASE)) {
            return Optional.empty();
        }
        var names = new ArrayList<>(OWN);
        for (Path file : locks.forPeople()) {
            names.add(Mentions.shortened(file));
        }
        for (String name : names) {
            if (texts.stream().anyMatch(text -> text.contains(name))) {
                return Optional.of(
                        blocked(
                                "can't tell what this touches ("
                                        + doubt.reason()
                                        + ")"
                                        + SPEAKS_OF
                                        + name
                                        + FOR_PEOPLE,
                                PeoplesFiles.lock(name),
                                name));
            }
        }
        return Optional.empty();
    }

    static Decision.Blocked blocked(String reason, Lock lock, String path) {
        return new Decision.Blocked(line(reason), lock, line(path));
    }

    private static String line(String text) {
        String line = text.replaceAll("[\\p{Cntrl}\\p{Cf}\u2028\u2029]", "?");
        return line.length() <= REASON_LENGTH_MAX
                ? line
                : line.substring(0, REASON_LENGTH_MAX) + "…";
    }

    /// The leave to write what this touch says, where that is one file with a known content.
    private Optional<PermittedWrite> permitted(Touch touch) {
        ContentHash content = touch.content();
        if (content == null || !touch.path().isPlain()) {
            return Optional.empty();
        }
        Path path = Path.of(touch.path().toString());
        return locks.permission(path, content)
                .map(leave -> new PermittedWrite(path, content, leave));
    }

    /// The reason why nobody can tell what a call with this text touches, or nothing if there is no
    /// lock and it does not speak of a hive.
    Decision undecided(String problem, String text) {
        if (areas.isEmpty()) {
            Optional<String> name = OWN.stream().filter(text::contains).findFirst();
            return name.isEmpty()
                    ? Decision.FREE
                    : blocked(
                            problem + SPEAKS_OF + name.get() + FOR_PEOPLE,
                            PeoplesFiles.lock(name.get()),
                            name.get());
        }
        return blocked(
                problem + ", and " + describe(areas.getFirst()),
                areas.getFirst().lock(),
                areas.getFirst().lock().path());
    }

    private static String describe(LockedArea area) {
        return area.lock().path()
                + " is under lock "
                + area.lock().kind()
                + ", declared in "
                + area.lock().declaredIn();
    }

    /// The path without `..`, and where it really leads.
    private Set<Shape> forms(Touch touch) {
        Set<Shape> forms = PathShapes.normal(touch.path());
        Shape known = AreaReach.plainPart(touch.path());
        try {
            Path real = locks.real(Path.of(known.isEmpty() ? "/" : known.toString()));
            Shape rest = touch.path().from(known.length());
            forms.addAll(PathShapes.normal(Shape.of(AreaReach.slashes(real)).plus(rest)));
        } catch (InvalidPathException e) {
            // No file can have this name.
            return forms;
        }
        return forms;
    }

    /// As [#forms], and where links lead that a wildcard matches, for what is written.
    private Set<Shape> writtenForms(Touch touch) {
        Set<Shape> forms = forms(touch);
        if (meets(Set.of(Access.WRITE, Access.ERASE), touch.access())) {
            for (Shape match : Places.matches(touch, locks)) {
                forms.addAll(forms(touch.at(match)));
            }
        }
        return forms;
    }

    private Optional<Decision.Blocked> locked(Touch touch) {
        if (areas.isEmpty()) {
            return Optional.empty();
        }
        if (touch.extent() == Extent.PATH && leadsAnywhere(touch.path())) {
            for (LockedArea area : areas) {
                if (meets(area.forbids(), touch.access())) {
                    return Optional.of(
                            blocked(
                                    touch.path() + " may lead anywhere, and " + describe(area),
                                    area.lock(),
                                    touch.path().toString()));
                }
            }
        }
        if (touch.path().isPlain()) {
            Optional<Decision.Blocked> exact = checked(touch, touch.path());
            if (exact.isPresent() || touch.extent() == Extent.PATH) {
                return exact;
            }
        }
        for (Shape form : forms(touch)) {
            for (Shape place : PathShapes.covered(form, touch.extent())) {
                for (LockedArea area : areas) {
                    if (meets(area.forbids(), touch.access())
                            && AreaReach.of(
                                    place, touch.extent(), touch.without().reachable(area, form))) {
                        return Optional.of(
                                blocked(
                                        "this could reach what is locked: "
                                                + describe(area)
                                                + PLAINLY,
                                        area.lock(),
                                        form.toString()));
                    }
                }
            }
        }
        for (Shape match : Places.matches(touch, locks)) {
            // A link that is matched may lead to a folder, and that is gone through.
            Optional<Decision.Blocked> exact =
                    locked(new Touch(match, touch.extent(), touch.access(), touch.guess()));
            if (exact.isPresent()) {
                return exact;
            }
        }
        return Optional.empty();
    }

    /// What would be locked if the links that the command moves were in their new places.
    private Optional<Decision.Blocked> moved(Touch touch, List<MovedLinks.Move> moves) {
        var links = new MovedLinks(moves, locks);
        Shape path = PathShapes.normal(touch.path()).iterator().next();
        for (Shape before : links.before(path)) {
            Touch old = new Touch(before, touch.extent(), touch.access(), touch.guess());
            for (Shape name : before.isPlain() ? List.of(before) : Places.matches(old, locks)) {
                Shape now =
                        before.isPlain()
                                ? path
                                : folder(path).plus(name.from(folder(before).length()));
                for (Shape place : links.places(now, name)) {
                    var blocked =
                            locked(new Touch(place, touch.extent(), touch.access(), touch.guess()));
                    if (blocked.isPresent()) {
                        return blocked;
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Shape folder(Shape path) {
        return AreaReach.plainPart(path);
    }

    /// A change of a text that an agent program runs commands from, where nobody can tell what the
    /// text will say: while something is locked, that is a way around.
    private Optional<Decision.Blocked> running(Touch touch) {
        if (areas.isEmpty()
                || touch.guess()
                || touch.content() != null
                || !touch.path().isPlain()
                || !touch.access().contains(Access.WRITE)) {
            return Optional.empty();
        }
        for (Shape form : forms(touch)) {
            if (InlineCommands.isRead(form.toString())) {
                LockedArea area = areas.getFirst();
                return Optional.of(
                        blocked(
                                touch.path()
                                        + ": the agent program runs commands in it, and "
                                        + describe(area)
                                        + "; write the file as a whole, without them",
                                area.lock(),
                                touch.path().toString()));
            }
        }
        return Optional.empty();
    }

    /// Links to the folders of processes: which, is known only when it runs.
    private static boolean leadsAnywhere(Shape path) {
        return PathShapes.normal(path).stream().anyMatch(form -> Overlap.of(form, PROCESSES))
                || Overlap.of(path, OPEN_FILES_PARENT);
    }

    private static boolean meets(Set<Access> forbidden, Set<Access> asked) {
        return forbidden.stream().anyMatch(asked::contains);
    }

    /// Asks for a plain path, as it is given and without `..`.
    private Optional<Decision.Blocked> checked(Touch touch, Shape path) {
        Shape normal = PathShapes.normal(path).iterator().next();
        // Each question goes to the disk: the same one is asked once.
        var texts = new LinkedHashSet<>(List.of(path.toString(), normal.toString()));
        for (Access access : EnumSet.copyOf(touch.access())) {
            for (String text : texts) {
                Verdict verdict;
                try {
                    verdict = verdict(Path.of(text), access, touch.content());
                } catch (InvalidPathException e) {
                    continue;
                }
                if (verdict instanceof Verdict.Blocked(var lock, String reason)) {
                    return Optional.of(
                            blocked(
                                    path
                                            + " is under lock "
                                            + lock.kind()
                                            + ", declared in "
                                            + lock.declaredIn()
                                            + ": "
                                            + reason,
                                    lock,
                                    text));
                }
            }
        }
        return Optional.empty();
    }

    private Verdict verdict(Path path, Access access, @Nullable ContentHash content) {
        Verdict verdict = locks.check(path, access);
        return content != null && access == Access.WRITE && verdict.equals(Verdict.ALLOWED)
                ? locks.checkContent(path, content)
                : verdict;
    }
}
