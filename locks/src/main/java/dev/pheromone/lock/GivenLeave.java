package dev.pheromone.lock;

import org.jspecify.annotations.Nullable;

/// An override as it lies in its folder, and what it is worth.
///
/// @param file relative to the hive root
/// @param leave what it permits; null if that can't be understood
/// @param proof `key` and its id if a person's key signed it, else `unproven`
/// @param problem why it counts for nothing now; empty if it counts
/// @param isOver whether that is only because its time has passed
public record GivenLeave(
        String file, @Nullable Leave leave, String proof, String problem, boolean isOver) {

    static final String UNPROVEN = "unproven";

    static GivenLeave unclear(String file, String problem) {
        return new GivenLeave(file, null, UNPROVEN, problem, false);
    }
}
