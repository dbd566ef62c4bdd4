package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.file.scope.Reservation;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.Reserving;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.time.Instant;

/// A reservation that was made.
record ReservationAnswer(Reservation reservation, Instant now) implements Answer {

    static Json.Obj json(Reservation reservation) {
        return Json.obj()
                .put("id", reservation.id())
                .putTexts("paths", reservation.paths())
                .put("holder", reservation.holder().name())
                .put("why", reservation.why())
                .put("since_at", IsoTime.format(reservation.since()))
                .put("ends_at", IsoTime.format(reservation.endsAt()));
    }

    @Override
    public Json.Obj json() {
        return json(reservation);
    }

    @Override
    public void show(Screen screen) {
        screen.line(
                "reserved %s as %s, until %s (%s)"
                        .formatted(
                                SafeText.line(String.join(" ", reservation.paths())),
                                reservation.id(),
                                Reserving.clock(reservation.endsAt()),
                                Ages.relative(reservation.endsAt(), now)));
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line(reservation.id());
    }
}
