package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.session.HiveLocks;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.text.Json;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What is locked now, and by whom that was declared.
public record LockListing(List<HiveLocks.Active> items) implements Answer {

    private static Json.Obj json(HiveLocks.Active item) {
        Instant expires = item.expires();
        Json.Obj json =
                Json.obj()
                        .put("kind", item.kind())
                        .put("pattern", item.pattern())
                        .put("hash", item.hash() == null ? Json.Null.NULL : Json.of(item.hash()))
                        .put("reason", item.reason())
                        .put(
                                "expires_at",
                                expires == null ? Json.Null.NULL : LockAnswer.time(expires))
                        .put("declared_in", item.declaredIn());
        return item.approved() == null ? json : json.put("approved", item.approved());
    }

    @Override
    public Json.Obj json() {
        return ListAnswer.whole(jsonItems());
    }

    @Override
    public void show(Screen screen) {
        if (items.isEmpty()) {
            screen.line("nothing is locked");
            return;
        }
        screen.table(table(screen.now()));
        for (HiveLocks.Active item : items) {
            if (Boolean.FALSE.equals(item.approved())) {
                screen.line("to approve a guard program that you know:  rsm lock trust-guard");
                return;
            }
        }
    }

    public Table table(Instant now) {
        Table table = new Table("LOCK", "COVERS", "REASON", "ENDS", "DECLARED IN");
        for (HiveLocks.Active item : items) {
            table.row(
                    item.kind(),
                    item.covers(),
                    item.reason().isEmpty() ? "-" : item.reason(),
                    item.expires() == null ? "-" : Ages.relative(item.expires(), now),
                    item.declaredIn());
        }
        return table;
    }

    public List<Json> jsonItems() {
        List<Json> all = new ArrayList<>();
        for (HiveLocks.Active item : items) {
            all.add(json(item));
        }
        return all;
    }

    @Override
    public void showBriefly(Screen screen) {
        for (HiveLocks.Active item : items) {
            screen.line(SafeText.line(item.kind() + " " + item.covers()));
        }
    }
}
