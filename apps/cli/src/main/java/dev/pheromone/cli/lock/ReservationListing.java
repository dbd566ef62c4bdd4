package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.file.scope.Reservation;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.text.Json;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Reservations, as they are now or as they were when they ended.
///
/// @param isDropped whether they have just been ended
public record ReservationListing(List<Reservation> items, Instant now, boolean isDropped)
        implements Answer {

    @Override
    public Json.Obj json() {
        return ListAnswer.whole(jsonItems(items));
    }

    /// Each of `items` for programs.
    public static List<Json> jsonItems(List<Reservation> items) {
        List<Json> all = new ArrayList<>();
        items.forEach(item -> all.add(ReservationAnswer.json(item)));
        return all;
    }

    @Override
    public void show(Screen screen) {
        if (items.isEmpty()) {
            screen.line(isDropped ? "you have reserved nothing" : "nothing is reserved");
        } else if (isDropped) {
            for (Reservation item : items) {
                screen.line(
                        "%s is free again (%s)"
                                .formatted(
                                        SafeText.line(String.join(" ", item.paths())), item.id()));
            }
        } else {
            screen.table(table(items, now));
        }
    }

    /// A row for each of `items`.
    public static Table table(List<Reservation> items, Instant now) {
        Table table = new Table("RESERVED", "BY", "ENDS", "ID", "WHY");
        for (Reservation item : items) {
            table.row(
                    String.join(" ", item.paths()),
                    item.holder().name(),
                    Ages.relative(item.endsAt(), now),
                    item.id(),
                    item.why().isEmpty() ? "-" : item.why());
        }
        return table;
    }

    @Override
    public void showBriefly(Screen screen) {
        items.forEach(item -> screen.line(item.id()));
    }
}
