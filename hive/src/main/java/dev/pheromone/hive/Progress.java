package dev.pheromone.hive;

/// How far a [Hive] is, since it began.
///
/// @param done envelopes whose work is done
/// @param failed attempts that failed
/// @param released envelopes given back
/// @param lost claims that became somebody else's, or whose outcome could not be written
/// @param running envelopes being worked on now
/// @param waiting envelopes that wait in the inbox, as last counted
/// @param perMinute envelopes done within the last minute
public record Progress(
        long done,
        long failed,
        long released,
        long lost,
        int running,
        int waiting,
        long perMinute) {}
