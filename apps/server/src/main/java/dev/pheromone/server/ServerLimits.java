package dev.pheromone.server;

import java.time.Duration;

/// How much of everything the server lets one client, and all of them together, have.
///
/// @param requestTime how long a request may take to arrive, from the moment its client connects: a
///   connection that shows no token by then is somebody else's place
/// @param headerBytesMax how long the address and the headers of a request may be together
/// @param connectionsMax how many clients may be connected
/// @param unprovenMax how many of them may have shown no token yet: beyond that the oldest of the
///   address that has most of them is closed, so that nobody keeps others out by connecting
/// @param streamsMax how many may follow the event log
/// @param waitMax how long one call may wait for mail
/// @param leaseMax the longest lease of a claim
/// @param listedMax how many waiting envelopes one answer has
/// @param feedLinesMax how many events one answer has
/// @param feedBytesMax how long such an answer may grow
/// @param heartbeat after how much silence a stream shows that it lives, and finds out whether its
///   client does
/// @param backlogMax how many events behind the newest a stream may fall before it is ended
/// @param stallMax how long a client may take to read what was written to it
/// @param stopTime how long a stopping server waits for answers on their way
public record ServerLimits(
        Duration requestTime,
        int headerBytesMax,
        int connectionsMax,
        int unprovenMax,
        int streamsMax,
        Duration waitMax,
        Duration leaseMax,
        int listedMax,
        int feedLinesMax,
        int feedBytesMax,
        Duration heartbeat,
        int backlogMax,
        Duration stallMax,
        Duration stopTime) {

    public static ServerLimits defaults() {
        return new ServerLimits(
                Duration.ofSeconds(10),
                32 * 1024,
                4_096,
                1_024,
                256,
                Duration.ofSeconds(60),
                Duration.ofHours(24),
                10_000,
                10_000,
                8 << 20,
                Duration.ofSeconds(5),
                8_192,
                Duration.ofSeconds(30),
                Duration.ofSeconds(2));
    }

    /// The same, for clients that are slower or faster to be given up.
    public ServerLimits withStreams(Duration heartbeat, int backlogMax, Duration stallMax) {
        return new ServerLimits(
                requestTime,
                headerBytesMax,
                connectionsMax,
                unprovenMax,
                streamsMax,
                waitMax,
                leaseMax,
                listedMax,
                feedLinesMax,
                feedBytesMax,
                heartbeat,
                backlogMax,
                stallMax,
                stopTime);
    }
}
