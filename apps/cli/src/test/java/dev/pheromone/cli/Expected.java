package dev.pheromone.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Lines that a command is to print, with places for what differs from run to run.
///
/// `<ID>` matches an id, `<ID:first>` also keeps it as `<first>` for the lines and commands that
/// follow, and `<first:short>` is the short form of it.
final class Expected {

    private static final Map<String, String> KINDS =
            Map.of(
                    "ID", "[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
                    "SHORT", "[0-9a-z]{6}",
                    "TIME", "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z",
                    "HASH", "sha256:[0-9a-f]{64}",
                    "HEX", "[0-9a-f]+",
                    "PATH", "/[^\\s\"]+",
                    "NUMBER", "-?\\d+(?:\\.\\d+)?",
                    "WORD", "[^\\s\",]+",
                    "ANY", ".*?");
    private static final Pattern PLACE = Pattern.compile("<([A-Z]+)(?::([a-z][a-z0-9]*))?>");
    private static final Pattern KEPT = Pattern.compile("<([a-z][a-z0-9]*)(:short)?>");
    private static final int SHORT_LENGTH = 6;

    private final Map<String, String> kept;

    /// @param kept what earlier lines kept, by name; grows
    Expected(Map<String, String> kept) {
        this.kept = kept;
    }

    /// `text` with what was kept filled in.
    String filled(String text) {
        return KEPT.matcher(text)
                .replaceAll(place -> {
                    String value = kept.get(place.group(1));
                    if (value == null) {
                        return Matcher.quoteReplacement(place.group());
                    }
                    boolean isShort = place.group(2) != null;
                    return Matcher.quoteReplacement(
                            isShort
                                    ? value.substring(value.length() - SHORT_LENGTH)
                                            .toLowerCase(java.util.Locale.ROOT)
                                    : value);
                });
    }

    /// The first line that differs, said in words; empty if `found` is what was expected.
    Optional<String> difference(List<String> expected, List<String> found) {
        return difference(expected, 0, found, 0);
    }

    private Optional<String> difference(List<String> expected, int e, List<String> found, int f) {
        if (e == expected.size()) {
            return f == found.size()
                    ? Optional.empty()
                    : Optional.of("found line \"" + found.get(f) + "\", expected no more lines");
        }
        if (expected.get(e).equals("...")) {
            Optional<String> last = Optional.empty();
            for (int skip = f; skip <= found.size(); skip++) {
                last = difference(expected, e + 1, found, skip);
                if (last.isEmpty()) {
                    return last;
                }
            }
            return last;
        }
        if (f == found.size()) {
            return Optional.of("found no more lines, expected \"" + expected.get(e) + "\"");
        }
        if (!matches(expected.get(e), found.get(f))) {
            return Optional.of(
                    "found line    \""
                            + found.get(f)
                            + "\"\n      expected \""
                            + expected.get(e)
                            + "\"");
        }
        return difference(expected, e + 1, found, f + 1);
    }

    private boolean matches(String expected, String found) {
        String line = filled(expected);
        StringBuilder pattern = new StringBuilder();
        List<String> names = new ArrayList<>();
        Matcher place = PLACE.matcher(line);
        int done = 0;
        while (place.find()) {
            String kind = KINDS.get(place.group(1));
            if (kind != null) {
                pattern.append(Pattern.quote(line.substring(done, place.start())));
                pattern.append('(').append(kind).append(')');
                names.add(place.group(2) == null ? "" : place.group(2));
                done = place.end();
            }
        }
        pattern.append(Pattern.quote(line.substring(done)));
        Matcher match = Pattern.compile(pattern.toString()).matcher(found);
        if (!match.matches()) {
            return false;
        }
        for (int i = 0; i < names.size(); i++) {
            if (!names.get(i).isEmpty()) {
                kept.put(names.get(i), match.group(i + 1));
            }
        }
        return true;
    }
}
