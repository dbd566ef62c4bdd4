package dev.pheromone.hive;

import dev.pheromone.hive.ServiceLevel.Result;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// How a hive kept its promises over a stretch of time, with what a picture of it needs.
///
/// @param drawnFrom when the first copy began to wait, if that was later than `since`: before that
///   there is nothing to draw
/// @param latencies how many copies took how long, shortest first, without gaps
/// @param depths the most that waited, for each inbox in which anything did, by name
/// @param oldest how many seconds the oldest copy had waited, likewise
/// @param ended how many copies came to their end, likewise
/// @param episodes when inboxes were too full, earliest first
/// @param open copies that were sent in this time and have not come to an end
/// @param withheld mail that waits in the embargo: it counts neither as delivered nor as lost
/// @param unreadable lines of the log that are no events
public record ServiceReport(
        Instant since,
        Instant until,
        Instant drawnFrom,
        List<ServiceLevel> levels,
        List<Bucket> latencies,
        List<Course> depths,
        List<Course> oldest,
        List<Course> ended,
        List<Episode> episodes,
        long open,
        long withheld,
        long unreadable) {

    public ServiceReport {
        levels = List.copyOf(levels);
        latencies = List.copyOf(latencies);
        depths = List.copyOf(depths);
        oldest = List.copyOf(oldest);
        ended = List.copyOf(ended);
        episodes = List.copyOf(episodes);
    }

    /// How many copies took at least `from` and less than `to`.
    public record Bucket(Duration from, Duration to, long count) {}

    /// A figure of an inbox in each of the equal parts of the time since `drawnFrom`.
    public record Course(String inbox, List<Integer> values) {
        public Course {
            values = List.copyOf(values);
        }
    }

    /// A time in which an inbox was too full.
    ///
    /// @param to null if it still is
    public record Episode(String inbox, Instant from, @Nullable Instant to) {

        /// How long it lasted, or has lasted until `now`.
        public Duration length(Instant now) {
            return Duration.between(from, to == null ? now : to);
        }
    }

    /// What was measured of `metric`.
    public ServiceLevel level(ServiceLevel.Metric metric) {
        return levels.get(metric.ordinal());
    }

    /// How many promises were not kept.
    public int missed() {
        int missed = 0;
        for (ServiceLevel level : levels) {
            missed += level.result() == Result.MISSED ? 1 : 0;
        }
        return missed;
    }
}
