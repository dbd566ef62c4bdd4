package dev.pheromone.file.embargo;

import java.io.IOException;

/// Another outcome of that claim was said under the lock before, and it is the one that waits.
public final class OtherOutcomeException extends IOException {
    private static final long serialVersionUID = 1;

    OtherOutcomeException(String waiting, String location) {
        super(
                "the outcome \"%s\" waits for that claim in %s, and the first counts"
                        .formatted(waiting, location));
    }
}
