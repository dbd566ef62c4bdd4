package dev.pheromone.hooks;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Collects what a command touches while it is followed, and ends the pursuit when it gets too
/// long.
final class TouchLog {
    /// Commands run, words expanded and places touched, together: a command written by hand has
    /// tens, one made to wear us out has millions.
    private static final int STEPS_MAX = 20_000;

    /// Longer than any path that a system takes.
    private static final int PATH_LENGTH_MAX = 4096;

    /// Longer texts are not looked through by those who ask for them.
    private static final int WRITTEN_LENGTH_MAX = 64 * 1024;

    /// Files for people, which nothing runs under that name.
    private static final Pattern DOCUMENT =
            Pattern.compile("(?i).+\\.(?:md|txt|rst|adoc|csv|tsv|log|html?|css|svg|diff|patch)");

    /// Files that build tools and test runners look for.
    private static final Pattern BUILD =
            Pattern.compile(
                    "(?:GNU)?[Mm]akefile|\\.?[Jj]ustfile|[Tt]askfile\\.ya?ml|package\\.json|Rakefile|pom\\.xml"
                        + "|(?:conftest|setup|noxfile|test_\\w+|\\w+_test)\\.py|build\\.(?:gradle(?:\\.kts)?|xml|rs)"
                        + "|CMakeLists\\.txt|(?:docker-)?compose\\.ya?ml|(?:main|\\w+_test)\\.go|main\\.rs|.+\\.(?:test|spec)\\.[jt]sx?");

    private final Set<Touch> touches = new LinkedHashSet<>();
    private final Set<Doubt> doubts = new LinkedHashSet<>();
    private final Set<String> texts = new LinkedHashSet<>();
    private final Set<String> forPeople = new LinkedHashSet<>();
    private final Set<String> mentions = new LinkedHashSet<>();
    private final Set<Shape> fed = new LinkedHashSet<>();
    private final Map<Shape, Shape> written = new HashMap<>();
    private final Set<Shape> unclear = new HashSet<>();
    private final Map<Shape, List<Shape>> mirrors = new LinkedHashMap<>();
    private final Set<Shape> links = new LinkedHashSet<>();
    private final Set<MovedLinks.Move> moves = new LinkedHashSet<>();
    private final Set<Shape> folders = new LinkedHashSet<>();
    private int steps;

    void step() throws ShellSyntaxException {
        if (++steps > STEPS_MAX) {
            throw new ShellSyntaxException("it is too long to follow");
        }
    }

    void doubt(String reason, Set<Access> access) {
        doubts.add(new Doubt(reason, access));
    }

    /// Notes a doubt that is none if one of `words` names something in each of `folders`.
    void doubtUnless(List<Shape> words, List<Shape> folders, String reason, Set<Access> access) {
        for (Shape folder : folders) {
            List<Shape> paths =
                    words.stream()
                            .filter(word -> !word.isEmpty())
                            .map(word -> word.at(0) == '/' ? word : folder.plus("/").plus(word))
                            .toList();
            doubts.add(new Doubt(reason, access, paths));
        }
    }

    void doubt(String reason) {
        doubts.add(Doubt.about(reason));
    }

    /// Notes that a program is run in one of these folders.
    void runIn(List<Shape> these) {
        for (Shape folder : these) {
            if (!folder.hasGap() && !folder.contains(Shape.ABOVE)) {
                folders.add(folder);
            }
        }
    }

    /// Notes a command as it was written.
    void text(String command) {
        texts.add(command);
    }

    /// Notes a text that may be run, or be searched for names.
    void mention(String text) {
        mentions.add(text);
    }

    /// Notes the words of a command whose output is read like a file.
    void fed(Shape text) {
        fed.add(text);
    }

    /// Notes that a command, with this in its words or its input, writes to `file`; it may follow
    /// what was written there before.
    void wrote(Shape file, Shape text) {
        Shape before = written.getOrDefault(file.name(), Shape.EMPTY);
        if (before.length() > WRITTEN_LENGTH_MAX) {
            wroteUnclearly(file);
        } else if (!before.equals(text)) {
            written.put(file.name(), before.plus(text));
        }
    }

    /// What was written by then to files of this name, as far as it stands in the command.
    Shape written(Shape file) {
        Shape name = file.name();
        if (name.isPlain()) {
            return written.getOrDefault(name, Shape.EMPTY);
        }
        return Builtins.joined(
                written.entrySet().stream()
                        .filter(other -> Overlap.of(other.getKey(), name))
                        .map(Map.Entry::getValue)
                        .toList());
    }

    /// Notes that `file` gets a content that is not known.
    void wroteUnclearly(Shape file) {
        unclear.add(file.name());
    }

    /// Whether what files of this name have by then is not known.
    boolean isUnclear(Shape file) {
        Shape name = file.name();
        return name.isPlain()
                ? unclear.contains(name)
                : unclear.stream().anyMatch(other -> Overlap.of(other, name));
    }

    /// Whether what a file has by then is not known which tools run without being told its name.
    boolean hasUnclearBuild() {
        return unclear.stream().anyMatch(name -> BUILD.matcher(name.toString()).matches());
    }

    /// Notes that `file` is changed by a text that does not say what will be in there.
    void changed(Shape file) {
        if (!written(file).isEmpty()) {
            wroteUnclearly(file);
        }
    }

    /// Notes that what is in `file` is in `other` as well.
    void copied(Shape file, Shape other) {
        Shape text = written(file);
        if (!text.isEmpty()) {
            wrote(other, text);
        }
        if (isUnclear(file)) {
            wroteUnclearly(other);
        }
    }

    /// What was written by then to all files that may be run, as far as it stands in the command.
    List<Shape> writtenToRun() {
        return written.entrySet().stream()
                .filter(file -> !DOCUMENT.matcher(file.getKey().toString()).matches())
                .map(Map.Entry::getValue)
                .toList();
    }

    /// The words of all such commands so far.
    Set<Shape> fed() {
        return Set.copyOf(fed);
    }

    /// Notes something that an agent must not do, whatever is locked.
    void forPeople(String what) {
        forPeople.add(what);
    }

    /// Notes that the file `word` will have exactly this content.
    void write(Shape word, Shape folder, ContentHash content) throws ShellSyntaxException {
        step();
        Shape path = word.at(0) == '/' ? word : folder.plus("/").plus(word);
        touches.add(new Touch(path, Extent.PATH, Doubt.ANYTHING, false, content, LeftOut.NOTHING));
    }

    /// Notes `word`, which names a path in one of `folders`.
    void touch(Shape word, List<Shape> folders, Extent extent, Set<Access> access, boolean guess)
            throws ShellSyntaxException {
        touch(word, folders, new Touch(word, extent, access, guess));
    }

    /// As `like`, but for its path: that is what `word` names in one of `folders`.
    void touch(Shape word, List<Shape> folders, Touch like) throws ShellSyntaxException {
        step();
        Set<Access> access = like.access();
        if (word.isEmpty() || access.isEmpty()) {
            return;
        }
        if (word.length() > PATH_LENGTH_MAX) {
            doubt("a path is too long", access);
        } else if (word.hasGap()) {
            doubt("\"" + word + "\" is known only when it runs", access);
        } else if (word.at(0) == '/') {
            add(like.at(word));
        } else {
            for (Shape folder : folders) {
                if (folder.hasGap()) {
                    doubt("the folder in which it runs is not known", access);
                } else {
                    add(like.at(folder.plus("/").plus(word)));
                }
            }
        }
    }

    private void add(Touch touch) {
        if (touch.path().contains(Shape.ABOVE)) {
            for (Shape form : PathShapes.above(touch.path())) {
                add(touch.at(form));
            }
            return;
        }
        touches.add(touch);
        GitFolder.alsoTouched(touch).ifPresent(touches::add);
        if (GitFolder.lends(touch)) {
            doubt("a repository gets the contents of another one", Set.of(Access.READ));
        }
        Shape path = PathShapes.normal(touch.path()).iterator().next();
        mirrors.forEach((copy, folders) -> {
            if (path.startsWith(copy + "/")) {
                Shape below = path.from(copy.length());
                for (Shape folder : folders) {
                    touches.add(
                            new Touch(
                                    folder.plus(below),
                                    touch.extent(),
                                    touch.access(),
                                    touch.guess()));
                }
            }
        });
    }

    /// Whether something was done by then that may change which folders are repositories.
    boolean changesRepositories() {
        return touches.stream()
                .filter(touch -> touch.access().contains(Access.WRITE))
                .map(Touch::path)
                .anyMatch(path -> !path.isPlain() || path.toString().contains(".git"));
    }

    /// Notes that `copy` becomes another work tree of what is in one of `folders`.
    void mirror(Shape copy, List<Shape> folders) {
        for (Shape folder : folders) {
            Shape path = copy.startsWith("/") ? copy : folder.plus("/").plus(copy);
            mirrors.put(PathShapes.normal(path).iterator().next(), folders);
        }
    }

    /// Notes that what is at `from` will be at `to`, both as words in one of `folders`; with
    /// wildcards, that what is in the folders before them will.
    void moved(Shape from, Shape to, List<Shape> folders) {
        for (Shape folder : folders) {
            boolean above = folder.contains(Shape.ABOVE);
            for (Shape start : above ? PathShapes.above(folder) : List.of(folder)) {
                moves.add(new MovedLinks.Move(place(from, start), place(to, start)));
            }
        }
    }

    private static Shape place(Shape word, Shape folder) {
        Shape path = word.startsWith("/") ? word : folder.plus("/").plus(word);
        return AreaReach.plainPart(PathShapes.normal(path).iterator().next());
    }

    /// Notes a relative link, by where it leads.
    void linked(Shape source) {
        links.add(source);
    }

    /// Where relative links lead that were made by then.
    Set<Shape> links() {
        return Set.copyOf(links);
    }

    Touches touches() {
        return new Touches(
                List.copyOf(touches),
                List.copyOf(doubts),
                List.copyOf(texts),
                List.copyOf(forPeople),
                List.copyOf(mentions),
                List.copyOf(moves),
                List.copyOf(folders));
    }
}
