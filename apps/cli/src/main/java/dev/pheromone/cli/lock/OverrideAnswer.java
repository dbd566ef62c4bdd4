package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.lock.GivenLeave;
import dev.pheromone.lock.Leave;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.text.Json;

import java.util.ArrayList;
import java.util.List;

/// What is permitted in spite of a lock.
sealed interface OverrideAnswer extends Answer {

    private static Json.Obj json(Leave leave) {
        return Json.obj()
                .put("target", leave.target())
                .put("hash", leave.hash().toString())
                .put("reason", leave.reason())
                .put("requestor", leave.requestor())
                .put("by", leave.source())
                .put("expires_at", LockAnswer.time(leave.ends()));
    }

    /// One that was given just now.
    record Given(Leave leave, String file, Authority.Person person) implements OverrideAnswer {

        @Override
        public Json.Obj json() {
            return OverrideAnswer.json(leave).put("proof", person.proof()).put("override", file);
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    SafeText.line(leave.target())
                            + " may be written with "
                            + leave.hash()
                            + " ("
                            + SafeText.line(person.told())
                            + "); ends "
                            + Ages.relative(leave.ends(), screen.now()));
            screen.line("declared in " + SafeText.line(file));
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(SafeText.line(file));
        }
    }

    /// All there are.
    record Listing(List<GivenLeave> all) implements OverrideAnswer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            for (GivenLeave given : all) {
                Leave leave = given.leave();
                items.add(
                        (leave == null ? Json.obj() : OverrideAnswer.json(leave))
                                .put("proof", given.proof())
                                .put("override", given.file())
                                .put("counts", given.problem().isEmpty())
                                .put("problem", given.problem()));
            }
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            if (all.isEmpty()) {
                screen.line("nothing is permitted in spite of a lock");
                return;
            }
            Table table = new Table("TARGET", "FOR", "BY", "PROOF", "ENDS", "STATE", "DECLARED IN");
            for (GivenLeave given : all) {
                Leave leave = given.leave();
                table.row(
                        leave == null ? "-" : leave.target(),
                        leave == null ? "-" : leave.requestor(),
                        leave == null ? "-" : leave.source(),
                        given.proof(),
                        leave == null ? "-" : Ages.relative(leave.ends(), screen.now()),
                        given.problem().isEmpty() ? "counts" : "none: " + given.problem(),
                        given.file());
            }
            screen.table(table);
        }

        @Override
        public void showBriefly(Screen screen) {
            all.forEach(given -> screen.line(SafeText.line(given.file())));
        }
    }
}
