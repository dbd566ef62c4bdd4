package dev.pheromone.redaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// What is private here, as only the caller can know it: no pattern could tell.
///
/// @param users names of people on this machine; those shorter than [#USER_LENGTH_MIN] are not
///   looked for, because they are parts of everything
/// @param locked paths that nobody may read, as lock lists have them: from the hive's root, with
///   `*`, `**` and `?`
/// @param secrets secrets themselves, such as this machine's own keys in hexadecimal
public record PrivateWords(List<String> users, List<String> locked, List<String> secrets) {

    public static final int USER_LENGTH_MIN = 3;

    /// A shorter one would be found in ordinary words, and is no secret.
    static final int SECRET_LENGTH_MIN = 8;

    public static final PrivateWords NONE = new PrivateWords(List.of(), List.of(), List.of());

    public PrivateWords {
        users = List.copyOf(users);
        locked = List.copyOf(locked);
        secrets = List.copyOf(secrets);
    }

    PrivateWords withUsers(Collection<String> more) {
        List<String> all = new ArrayList<>(users);
        all.addAll(more);
        return new PrivateWords(all, locked, secrets);
    }

    /// How many there are; never the words.
    @Override
    public String toString() {
        return "%d users, %d locked paths, %d secrets"
                .formatted(users.size(), locked.size(), secrets.size());
    }
}
