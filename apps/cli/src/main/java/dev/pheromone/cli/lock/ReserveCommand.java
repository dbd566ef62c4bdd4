package dev.pheromone.cli.lock;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PatternHints;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.file.scope.Reservations;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.Reserving;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

/// `rsm reserve`: says which paths one is about to change, so that others hear of it before they
/// do.
public final class ReserveCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("reserve", Group.AGENTS, "reserves paths before you edit them")
                .usage("rsm reserve GLOB… [--ttl 30m] [--why TEXT]")
                .usage("rsm reserve --drop [ID|GLOB…]")
                .usage("rsm reserve [--list]")
                .anyNumberOf(
                        "GLOB",
                        "paths below the hive root, or globs: src/parser, \"src/**/*.java\","
                                + " {a,b}/*; without one, shows what is reserved")
                .opt(
                        Opt.value(
                                        "ttl",
                                        "DURATION",
                                        "how long it lasts after your last sign of life: 1m to 4h")
                                .withFallback("30m"))
                .opt(Opt.value("why", "TEXT", "what for, shown to others"))
                .opt(
                        Opt.flag(
                                "drop",
                                "end what you reserved: all of it, or by id or glob; people may end"
                                        + " what others reserved, by id"))
                .opt(Opt.flag("list", "show what is reserved"))
                .note(
                        "Another agent that edits such a path is warned before, or stopped where"
                                + " hive.yaml says scopes: block; people are warned at most. If"
                                + " somebody has some of it, nothing is reserved: exit 5.")
                .note(
                        "Your hooks renew it while you work, for at most four hours, and it ends"
                            + " with your session. Subagents of a session share it. Mail that you"
                            + " claim reserves its scope by itself.")
                .example(
                        "rsm reserve \"src/parser/**\" --why \"split the parser\"",
                        "for 30 minutes")
                .example("rsm reserve", "who has reserved what, and until when")
                .example("rsm reserve --drop", "when you are done")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        refuseContradictions(call);
        Reserving reserving = new Session(call, hive).reserving();
        if (call.args().has("drop")) {
            return drop(call, reserving);
        }
        if (call.args().operands().isEmpty()) {
            Reservations.View view = reserving.list();
            for (String file : view.unreadable()) {
                call.warn("a reservation can't be read, and counts for nothing: " + file);
            }
            return new ReservationListing(view.reservations(), call.now(), false);
        }
        return reserve(call, hive, reserving);
    }

    private static void refuseContradictions(Invocation call) {
        boolean isDrop = call.args().has("drop");
        boolean isList = call.args().has("list");
        if (isDrop && isList) {
            throw new CliException(
                    ErrorCode.USAGE, "found --drop and --list, expected one of them");
        }
        if (isList && !call.args().operands().isEmpty()) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "found --list and GLOB, expected one of them: --list shows all")
                    .fix("rsm reserve --list");
        }
        if ((isDrop || call.args().operands().isEmpty()) && call.args().has("why")) {
            throw new CliException(
                            ErrorCode.USAGE, "--why is of what is reserved, expected GLOB with it")
                    .fix("rsm reserve \"src/parser/**\" --why \"split the parser\"");
        }
    }

    private static Answer drop(Invocation call, Reserving reserving) throws IOException {
        return new ReservationListing(
                reserving.drop(reserving.patterns(call.args().operands())), call.now(), true);
    }

    private static Answer reserve(Invocation call, OpenHive hive, Reserving reserving)
            throws IOException {
        List<String> patterns = reserving.patterns(call.args().operands());
        Reserving.Outcome outcome;
        try {
            outcome =
                    reserving.reserve(
                            patterns,
                            Objects.requireNonNull(call.args().duration("ttl")),
                            LockCommand.line(call, "why"));
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("GLOB", e);
        }
        return switch (outcome) {
            case Reserving.Outcome.Made(var reservation) -> {
                for (String pattern : patterns) {
                    PatternHints.of(call, hive.layout(), hive.guard(), "rsm reserve", pattern);
                }
                yield new ReservationAnswer(reservation, call.now());
            }
            case Reserving.Outcome.Held(var hold) -> throw Reserving.held(patterns, hold, true);
        };
    }
}
