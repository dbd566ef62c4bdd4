package dev.pheromone.hooks;

import java.nio.file.Path;
import java.util.regex.Pattern;

/// Whether a place, perhaps with wildcards, could be in what a lock covers.
final class AreaReach {
    /// A last name that hardly a folder has: with the ending of a file, or one of the usual
    /// settings.
    private static final Pattern FILE_NAME =
            Pattern.compile(
                    "(?i).+\\.(?:txt|md|json|jsonl|ya?ml|toml|ini|cfg|conf|properties|env|xml|csv|tsv|sql|db|sqlite3?"
                        + "|log|lock|pem|key|crt|cer|der|p12|pfx|jks|gpg|asc|pub|py|m?[jt]s|[jt]sx|java|kt|go|rs|c|h"
                        + "|cc|cpp|hpp|cs|rb|php|sh|html?|css|pdf|docx?|xlsx?|png|jpe?g|svg|zip|t?gz|tar)"
                        + "|\\.env(?:\\.\\w+)?|\\.\\w+rc");

    private AreaReach() {}

    /// Whether `place`, part of a touch of this extent, overlaps the area. A wildcard is not taken
    /// to go into something that looks like a file; who only lists names may come across one.
    static boolean of(Shape place, Extent extent, LockedArea area) {
        String pattern = area.lock().path();
        boolean file = isFile(pattern);
        if (file && extent.isOfNames() && !place.isPlain()) {
            return false;
        }
        for (Path root : area.roots()) {
            if (overlaps(place, root, pattern, file ? Extent.PATH : Extent.TREE)
                    || (file && overlaps(plainPart(place), root, pattern, Extent.TREE))) {
                return true;
            }
        }
        return false;
    }

    static boolean overlaps(Shape place, Path root, String pattern, Extent extent) {
        return PathShapes.ofPattern(slashes(root), pattern, extent).stream()
                .anyMatch(area -> Overlap.of(place, area));
    }

    static String slashes(Path path) {
        return path.toString().replace('\\', '/');
    }

    /// Whether the name of a path, or of a pattern for one, looks like that of a file.
    static boolean isFile(String pattern) {
        String name = pattern.substring(pattern.lastIndexOf('/') + 1);
        return !name.contains("**") && FILE_NAME.matcher(name).matches();
    }

    /// The folder that is known, before the first name with a wildcard.
    static Shape plainPart(Shape place) {
        int slash = 0;
        for (int i = 0; i < place.length() && place.at(i) >= 0; i++) {
            slash = place.at(i) == '/' ? i : slash;
        }
        return place.isPlain() ? place : place.part(0, slash);
    }
}
