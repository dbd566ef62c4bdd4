package dev.pheromone.hooks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Links that lie on the disk and are moved or copied by the command itself: under their new names
/// they are not there yet, but they will lead somewhere.
final class MovedLinks {
    /// Longer chains of moves in one command are not followed.
    private static final int MOVES_MAX = 8;

    /// What has the path `from` gets the path `to`, with all that is below it. Both are absolute.
    record Move(Shape from, Shape to) {
        /// The path that `path` has had before the move.
        private Shape undone(Shape path) {
            int end = to.length();
            boolean moved = path.startsWith(to) && (path.length() == end || path.at(end) == '/');
            return moved ? from.plus(path.from(end)) : path;
        }
    }

    private final List<Move> moves;
    private final Locks locks;

    MovedLinks(List<Move> moves, Locks locks) {
        this.moves = moves;
        this.locks = locks;
    }

    /// The paths that what is at `path` afterwards may have had before, without that path itself.
    Set<Shape> before(Shape path) {
        var found = new LinkedHashSet<Shape>(Set.of(path));
        List<Shape> last = List.of(path);
        for (int step = 0; step < MOVES_MAX && !last.isEmpty(); step++) {
            var next = new ArrayList<Shape>();
            for (Shape known : last) {
                for (Move move : moves) {
                    Shape before = move.undone(known);
                    if (found.add(before)) {
                        next.add(before);
                    }
                }
            }
            last = next;
        }
        found.remove(path);
        return found;
    }

    /// Where `path` leads afterwards, if there is a link in what it was before: where that leads
    /// now, and where it leads from the new place if it is relative.
    List<Shape> places(Shape path, Shape before) {
        Path old = Path.of(before.toString());
        Path real = locks.real(old);
        Path folder = old.getParent();
        Path next = Path.of(path.toString()).getParent();
        if (real.equals(old) || folder == null || next == null) {
            return List.of();
        }
        var places = new ArrayList<Shape>();
        for (Path place : List.of(real, next.resolve(folder.relativize(real)).normalize())) {
            places.add(Shape.of(AreaReach.slashes(place)));
        }
        return places;
    }
}
