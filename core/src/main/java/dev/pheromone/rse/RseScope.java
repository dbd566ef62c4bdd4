package dev.pheromone.rse;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// The part of an event log that a reader needs. A reading with a scope gives every event that the
/// scope covers and every line that is no event; which other events it leaves out depends on what
/// is known of the log, so that the reader still has to look at each.
///
/// An empty set, and null, leave out nothing.
///
/// @param types the types of the events
/// @param about the ids that the events name, or their ends: see [#key]
/// @param since the time of the oldest event
/// @param until the time that all events are before
/// @param signalsAt only drops that are alive at this time, apart from those that announce mail
/// @param word letters and digits, in lower case, that stand in the event's line in any case
/// @param last so many events at the end of what the rest covers are enough, in whatever kind; 0
///   for all
public record RseScope(
        Set<String> types,
        Set<String> about,
        @Nullable Instant since,
        @Nullable Instant until,
        @Nullable Instant signalsAt,
        String word,
        int last) {

    /// The whole log.
    public static final RseScope ALL = new RseScope(Set.of(), Set.of(), null, null, null, "", 0);

    /// How many characters at its end tell one id from another: as many as people type.
    public static final int KEY_LENGTH = 6;

    /// What reading may put into an event that does not stand in its line.
    private static final List<String> ADDED = List.of("unknown", "value", "infinity");

    public RseScope {
        types = Set.copyOf(types);
        about = Set.copyOf(about);
        if (!word.chars().allMatch(RseScope::isPlain)) {
            throw new IllegalArgumentException(
                    "word: found \"" + word + "\", expected lower-case letters and digits");
        }
    }

    /// This scope, of these types only.
    public RseScope ofTypes(Set<String> names) {
        return new RseScope(names, about, since, until, signalsAt, word, last);
    }

    /// This scope, of events whose `id` or `ref` is one of these; of no event if there are none.
    ///
    /// @param ids whole ids, or ends of ids that have at least [#KEY_LENGTH] characters
    public RseScope about(Set<String> ids) {
        return new RseScope(
                types, ids, since, ids.isEmpty() ? Instant.MIN : until, signalsAt, word, last);
    }

    /// This scope, without what happened before `time`.
    public RseScope since(@Nullable Instant time) {
        return new RseScope(types, about, time, until, signalsAt, word, last);
    }

    /// This scope, without what happened at `time` or later.
    public RseScope until(@Nullable Instant time) {
        return new RseScope(types, about, since, time, signalsAt, word, last);
    }

    /// This scope, of signals that are alive at `time`.
    public RseScope signalsAt(Instant time) {
        return new RseScope(types, about, since, until, time, word, last);
    }

    /// This scope, of its last `count` events and perhaps more; of all if that is 0.
    public RseScope last(int count) {
        return new RseScope(types, about, since, until, signalsAt, word, count);
    }

    /// This scope, of events in whose line the longest word of `text` stands.
    public RseScope withWordOf(String text) {
        String longest = "";
        StringBuilder run = new StringBuilder();
        // With a character at its end that ends the last word.
        for (char c : (text.toLowerCase(Locale.ROOT) + ' ').toCharArray()) {
            if (isPlain(c)) {
                run.append(c);
                continue;
            }
            longest = run.length() > longest.length() ? run.toString() : longest;
            run.setLength(0);
        }
        String word = longest;
        return ADDED.stream().anyMatch(added -> added.contains(word))
                ? this
                : new RseScope(types, about, since, until, signalsAt, word, last);
    }

    private static boolean isPlain(int c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }

    /// By what ids are compared: the end of one, without case. Ids that differ may have the same
    /// key, ids that are equal always have.
    public static String key(String id) {
        String upper = id.toUpperCase(Locale.ROOT);
        return upper.substring(Math.max(0, upper.length() - KEY_LENGTH));
    }
}
