package dev.pheromone.session.caller;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Lane;
import dev.pheromone.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The lanes that may be typed: the protocol's, the hive's own, and those that are there because
/// another hive wrote them.
public final class Lanes {

    private Lanes() {}

    /// What is said of a lane that this hive does not have.
    public static ProblemException unknown(HiveConfig config, String found) {
        return unknown(config, "", found).in("lane");
    }

    /// As [#unknown(HiveConfig, String)], of a lane that stands in a file.
    public static ProblemException unknownIn(String file, HiveConfig config, String found) {
        return unknown(config, file + ": lane: ", found);
    }

    private static ProblemException unknown(HiveConfig config, String place, String found) {
        List<String> known = new ArrayList<>();
        Lane.KNOWN.forEach(lane -> known.add(lane.name()));
        config.lanes().forEach(lane -> known.add(lane.name()));
        List<String> nearest = Nearest.to(found, known);
        return new ProblemException(
                        ProblemException.Code.USAGE,
                        place + "found \"" + found + "\", expected " + Phrase.or(known))
                .hint(
                        nearest.isEmpty()
                                ? "more lanes are allowed by lanes: in .deia/hive.yaml"
                                : "did you mean " + Phrase.or(nearest) + "?");
    }

    /// Fails if only the lane `typed` is wanted, and neither the hive nor anything `present` has
    /// such a lane: nothing would ever be found in it.
    public static void require(HiveConfig config, @Nullable String typed, Stream<Lane> present) {
        if (typed != null
                && !isKnown(config, typed)
                && present.noneMatch(lane -> lane.name().equalsIgnoreCase(typed))) {
            throw unknown(config, typed);
        }
    }

    /// Whether the protocol or the hive has the lane `typed`.
    public static boolean isKnown(HiveConfig config, String typed) {
        return Stream.concat(Lane.KNOWN.stream(), config.lanes().stream())
                .anyMatch(lane -> lane.name().equalsIgnoreCase(typed));
    }
}
