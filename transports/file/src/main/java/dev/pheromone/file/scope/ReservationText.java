package dev.pheromone.file.scope;

import dev.pheromone.address.Actor;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

/// A reservation as the file that keeps it: one JSON object on a line. The id is the file's name,
/// and the last sign of life the file's time, so that a touch renews it.
final class ReservationText {

    /// The longest patterns, each of them escaped.
    static final int BYTES_MAX = 256 * 1024;

    private ReservationText() {}

    static byte[] of(Reservation reservation) {
        return (Json.obj()
                                .put("holder", reservation.holder().name())
                                .putTexts("paths", reservation.paths())
                                .put("why", reservation.why())
                                .put("since", IsoTime.format(reservation.since()))
                                .put("ttl_s", reservation.ttl().toSeconds())
                        + "\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /// Reads what [#of] writes; fields that it does not know mean nothing.
    ///
    /// @throws IllegalArgumentException if that is no reservation
    static Reservation parse(String id, byte[] bytes, Instant renewed) {
        try {
            if (!(Json.parse(bytes) instanceof Json.Obj fields)) {
                throw new IllegalArgumentException("found no JSON object");
            }
            return new Reservation(
                    id,
                    Actor.parse(fields.text("holder")),
                    fields.texts("paths"),
                    fields.optionalText("why").orElse(""),
                    IsoTime.parse(fields.text("since")),
                    Duration.ofSeconds(fields.number("ttl_s")),
                    renewed);
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
