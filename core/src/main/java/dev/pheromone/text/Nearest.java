package dev.pheromone.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/// The names that somebody who mistyped one most likely meant.
public final class Nearest {

    /// More than three suggestions are a list to read, not a hint.
    private static final int SUGGESTIONS_MAX = 3;

    /// What is longer is no mistyped name, and comparing costs the product of both lengths.
    private static final int LENGTH_MAX = 100;

    private Nearest() {}

    /// Those of `names` that are close to `typed`, nearest first; else those of several words that
    /// begin with the same one, as `worker_ack` for `worker_done`. An empty list if there are none.
    public static List<String> to(String typed, Collection<String> names) {
        String wanted = typed.toLowerCase(Locale.ROOT);
        List<String> found = new ArrayList<>();
        if (wanted.isEmpty() || wanted.length() > LENGTH_MAX) {
            return found;
        }
        int furthest = Math.max(1, wanted.length() / 3);
        for (int distance = 0; distance <= furthest; distance++) {
            for (String name : names) {
                if (name.length() <= LENGTH_MAX
                        && distance(wanted, name.toLowerCase(Locale.ROOT)) == distance) {
                    found.add(name);
                }
            }
        }
        for (String name : names) {
            if (wanted.length() >= 2 && name.startsWith(wanted) && !found.contains(name)) {
                found.add(name);
            }
        }
        int wordEnd = wanted.indexOf('_') + 1;
        if (found.isEmpty() && wordEnd > 0) {
            String word = wanted.substring(0, wordEnd);
            names.stream().filter(name -> name.startsWith(word)).forEach(found::add);
        }
        return found.size() > SUGGESTIONS_MAX ? found.subList(0, SUGGESTIONS_MAX) : found;
    }

    /// Damerau-Levenshtein distance, restricted form: a swap of neighbours counts once, because
    /// fingers do that.
    static int distance(String a, String b) {
        int[] beforeLast = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                int best = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + change);
                if (i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1)) {
                    best = Math.min(best, beforeLast[j - 2] + 1);
                }
                row[j] = best;
            }
            int[] reused = beforeLast;
            beforeLast = last;
            last = row;
            row = reused;
        }
        return last[b.length()];
    }
}
