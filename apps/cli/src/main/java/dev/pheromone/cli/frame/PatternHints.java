package dev.pheromone.cli.frame;

import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.PatternReach;

import java.io.IOException;

/// What somebody should know who types a pattern that is probably not what they mean. The pattern
/// counts as typed all the same: a file that is to come can be locked before it is there.
public final class PatternHints {

    private final HiveLayout layout;
    private final LockFiles guard;

    private PatternHints(HiveLayout layout, LockFiles guard) {
        this.layout = layout;
        this.guard = guard;
    }

    /// Warns about `pattern`, if there is something to say.
    ///
    /// @param command what a better pattern is typed behind
    public static void of(
            Invocation call, HiveLayout layout, LockFiles guard, String command, String pattern)
            throws IOException {
        PatternHints hints = new PatternHints(layout, guard);
        String better = hints.better(call, pattern);
        if (better.isEmpty()) {
            return;
        }
        call.warn(
                (hints.covers(pattern)
                                ? pattern + " covers files in the hive root only"
                                : pattern + " covers nothing that is there now")
                        + (better.equals(pattern)
                                ? ""
                                : "; did you mean: " + command + " " + ShellWords.quote(better)));
    }

    /// What was probably meant: the same pattern if that covers nothing and no other does, empty if
    /// it seems to be right.
    private String better(Invocation call, String pattern) {
        String deep = "**/" + pattern;
        boolean isGlob = pattern.indexOf('*') >= 0 || pattern.indexOf('?') >= 0;
        boolean isName = pattern.indexOf('/') < 0 && !pattern.contains("**");
        if (isGlob && isName) {
            return deep;
        }
        if (covers(pattern)) {
            return "";
        }
        String here = layout.nameOf(call.surroundings().cwd()) + "/" + pattern;
        if (!here.startsWith("/") && covers(here)) {
            return here;
        }
        return isName && covers(deep) ? deep : pattern;
    }

    private boolean covers(String pattern) {
        try {
            return PatternReach.of(layout, guard, pattern) != PatternReach.Found.NOTHING;
        } catch (IllegalArgumentException e) {
            // Said where the lock is made.
            return true;
        }
    }
}
