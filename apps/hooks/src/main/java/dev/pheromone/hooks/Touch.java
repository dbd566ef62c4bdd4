package dev.pheromone.hooks;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.util.Set;

/// A place that a tool call would touch, and how. The path is absolute, as it was written
/// otherwise: `..` is still in it.
///
/// A guess is a place that some program could touch because it was named to it; what programs we
/// know do is no guess.
///
/// @param content what the whole file will be; null if that is not known
/// @param without what it does not enter
record Touch(
        Shape path,
        Extent extent,
        Set<Access> access,
        boolean guess,
        @Nullable ContentHash content,
        LeftOut without) {
    Touch {
        access = Set.copyOf(access);
    }

    Touch(Shape path, Extent extent, Set<Access> access, boolean guess) {
        this(path, extent, access, guess, null, LeftOut.NOTHING);
    }

    Touch at(Shape place) {
        return new Touch(place, extent, access, guess, content, without);
    }
}
