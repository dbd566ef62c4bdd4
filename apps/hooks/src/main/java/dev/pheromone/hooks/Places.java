package dev.pheromone.hooks;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The places on the disk that a tool call names: each of them may lie in a hive.
final class Places {

    /// More names than this in one folder are not looked at one by one: the patterns alone decide.
    private static final int MATCHES_MAX = 2_000;

    /// So many places are looked for in texts; more are hardly paths.
    private static final int NAMED_MAX = 2_000;

    private Places() {}

    /// What is named plainly, as it is written and without `..`, the folders before wildcards, what
    /// the wildcards match, the folders in which programs are run, and what is named in texts that
    /// nobody follows.
    static Set<Path> of(Touches found, Locks locks) {
        var shapes = new LinkedHashSet<Shape>();
        for (Touch touch : found.touches()) {
            shapes.add(AreaReach.plainPart(touch.path()));
            PathShapes.normal(touch.path()).forEach(form -> shapes.add(AreaReach.plainPart(form)));
            shapes.addAll(matches(touch, locks));
        }
        found.folders().forEach(folder -> shapes.add(AreaReach.plainPart(folder)));
        found.mentions().forEach(text -> addNamed(text, found.folders(), shapes));
        if (!found.doubts().isEmpty()) {
            found.texts().forEach(text -> addNamed(text, found.folders(), shapes));
        }
        var places = new LinkedHashSet<Path>();
        for (Shape shape : shapes) {
            try {
                places.add(Path.of(shape.isEmpty() ? "/" : shape.toString()));
            } catch (InvalidPathException e) {
                // No file can have this name.
            }
        }
        return places;
    }

    /// Adds the paths that a text speaks of which may be run, or was not followed.
    private static void addNamed(String text, List<Shape> folders, Set<Shape> shapes) {
        for (String name : LastNet.names(text)) {
            if (name.indexOf('/') < 0 || shapes.size() > NAMED_MAX) {
                continue;
            }
            Shape path = Shape.of(name);
            if (name.startsWith("/")) {
                shapes.add(path);
            } else {
                folders.forEach(
                        folder -> shapes.add(AreaReach.plainPart(folder).plus("/").plus(path)));
            }
        }
    }

    /// The existing paths that a wildcard matches, for those of them that are links.
    static List<Shape> matches(Touch touch, Locks locks) {
        Shape form = PathShapes.normal(touch.path()).iterator().next();
        if (touch.extent() == Extent.LISTED) {
            // Who lists names goes into no links, or says so.
            return List.of();
        }
        if (form.isPlain() || form.contains(Shape.DEEP) || form.contains(Shape.DEEP_VISIBLE)) {
            return List.of();
        }
        List<Shape> found = List.of(Shape.EMPTY);
        for (Shape segment : form.split('/').subList(1, form.split('/').size())) {
            var next = new ArrayList<Shape>();
            for (Shape folder : found) {
                if (segment.isPlain()) {
                    next.add(folder.plus("/").plus(segment));
                    continue;
                }
                for (String name :
                        locks.names(Path.of(folder.isEmpty() ? "/" : folder.toString()))) {
                    if (next.size() < MATCHES_MAX && Overlap.of(segment, Shape.of(name))) {
                        next.add(folder.plus("/").plus(name));
                    }
                }
            }
            found = next;
        }
        return found;
    }
}
