package dev.pheromone.cli.frame;

import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.embargo.Freeze;
import dev.pheromone.guard.Lock;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What every command says of a frozen hive. A freeze is a state that a person chose, and not an
/// error: it has somebody who set it, a time, a reason, mail that waits, and an end.
public record Standstill(Freeze freeze, Instant now) implements Answer {

    /// Also covers a file system whose clock is a little ahead of ours.
    private static final Duration JUST_NOW = Duration.ofMinutes(1);

    /// The freeze of the hive that `call` means, if that is what `lock` is; empty for other locks,
    /// and if the freeze ended meanwhile.
    public static Optional<Standstill> by(Invocation call, Lock lock) {
        if (!Freeze.isFreeze(lock)) {
            return Optional.empty();
        }
        try {
            HiveLayout layout = TypedHive.find(call);
            return Freeze.of(layout, OpenHive.guard(call, layout))
                    .map(freeze -> new Standstill(freeze, call.now()));
        } catch (IOException | CliException | ProblemException e) {
            return Optional.empty();
        }
    }

    /// Who froze the hive, when, and why: `the hive was frozen 12m ago by alice: release`.
    public String what() {
        return "the hive was frozen "
                + (freeze.since().isBefore(now.minus(JUST_NOW))
                        ? Ages.relative(freeze.since(), now)
                        : "just now")
                + (freeze.by().isEmpty() ? "" : " by " + freeze.by())
                + (freeze.reason().isEmpty() ? "" : ": " + freeze.reason());
    }

    /// What waits for the end of the freeze, and how it ends.
    public String end() {
        List<String> waiting = new ArrayList<>();
        if (freeze.mail() > 0) {
            waiting.add(Phrase.count(freeze.mail(), "message"));
        }
        if (freeze.outcomes() > 0) {
            waiting.add(Phrase.count(freeze.outcomes(), "outcome"));
        }
        return (waiting.isEmpty()
                        ? "nothing waits in the embargo"
                        : String.join(" and ", waiting)
                                + (freeze.mail() + freeze.outcomes() == 1 ? " waits" : " wait")
                                + " in the embargo")
                + "; a person ends the freeze with rsm unlock hive"
                + (freeze.mail() > 0 ? " --release" : "");
    }

    @Override
    public Json.Obj json() {
        return Json.obj()
                .put(
                        "freeze",
                        Json.obj()
                                .put("reason", freeze.reason())
                                .put(
                                        "by",
                                        freeze.by().isEmpty()
                                                ? Json.Null.NULL
                                                : Json.of(freeze.by()))
                                .put("since_at", IsoTime.format(freeze.since()))
                                .put("declared_in", freeze.declaredIn())
                                .put("kept", freeze.mail())
                                .put("outcomes", freeze.outcomes()));
    }

    @Override
    public void show(Screen screen) {
        screen.line(SafeText.line(what()));
        screen.line(SafeText.line(end()));
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line("frozen");
    }

    @Override
    public boolean tellsFailure() {
        return true;
    }

    @Override
    public CliException failure() {
        return new CliException(ErrorCode.WITHHELD, what()).hint(end()).asState();
    }

    /// The end of a command that needed the hive: exit 3, with the freeze beside the error.
    CliException told() {
        CliException told = failure();
        json().forEach(told::detail);
        return told;
    }

    /// The freeze in a word, for a prompt.
    public record Line(Standstill standstill) implements Answer {

        @Override
        public Json.Obj json() {
            return standstill.json();
        }

        @Override
        public void show(Screen screen) {
            standstill.showBriefly(screen);
        }

        @Override
        public void showBriefly(Screen screen) {
            standstill.showBriefly(screen);
        }

        @Override
        public boolean tellsFailure() {
            return true;
        }

        @Override
        public CliException failure() {
            return standstill.failure();
        }
    }
}
