package dev.pheromone.cli.work;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Locked;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.hive.HiveOptions.Mode;
import dev.pheromone.hive.Report;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/// Tells people, or programs, what a worker does: one line an envelope.
final class WorkReports implements Consumer<Report> {

    private static final double MILLIS = 1_000;

    private final Invocation call;
    private final CommandWorker worker;
    private final WorkScreen screen;
    private final Mode mode;

    /// The last that was told of how work ended, and of a lock.
    private volatile @Nullable Report last;

    private volatile Report.@Nullable Withheld withheld;

    private volatile Report.@Nullable Trouble trouble;

    private volatile Report.@Nullable GaveUp gaveUp;

    WorkReports(Invocation call, CommandWorker worker, WorkScreen screen, Mode mode) {
        this.call = call;
        this.worker = worker;
        this.screen = screen;
        this.mode = mode;
    }

    @Override
    public void accept(Report report) {
        switch (report) {
            case Report.Taken _ -> {}
            case Report.Settled(var claim, var outcome, var settlement, var took) ->
                    tell(report, claim, word(outcome), outcome.note(), settlement, took);
            case Report.Lost(var claim, var reason) ->
                    tell(report, claim, "lost", reason, null, null);
            case Report.Unsettled(var claim, var outcome, var cause) ->
                    tell(
                            report,
                            claim,
                            "unsettled",
                            word(outcome) + ", and that could not be written: " + describe(cause),
                            null,
                            null);
            case Report.Abandoned(var claim) ->
                    screen.note(
                            "the command for "
                                    + claim.envelope().id().shortForm()
                                    + " does not end; no longer waiting for it");
            case Report.Withheld locked -> {
                withheld = locked;
                screen.note(
                        locked.inbox().address()
                                + " is under lock "
                                + locked.lock().kind()
                                + ": "
                                + locked.reason()
                                + (mode == Mode.DRAIN ? "" : "; waiting"));
            }
            case Report.Free(var inbox) -> {
                withheld = null;
                screen.note(inbox.address() + " is free again");
            }
            case Report.Trouble met -> {
                trouble = met;
                screen.note("warning: " + describe(met) + "; trying again");
            }
            case Report.GaveUp end -> gaveUp = end;
        }
    }

    /// The failure that `rsm work --once` ends with; null if all is well.
    @Nullable CliException failureOfOnce(String address, Duration waited) {
        return switch (last) {
            case null -> failureToTake(address, waited);
            case Report.Settled(var claim, var outcome, var _, var _) ->
                    switch (outcome) {
                        case Outcome.Done _ -> null;
                        case Outcome.Released(var note, var _) ->
                                failure(ErrorCode.REFUSED, claim, "was given back", note);
                        case Outcome.Failed(var note) ->
                                failure(ErrorCode.WORK_FAILED, claim, "failed", note);
                    };
            case Report.Lost(var claim, var reason) ->
                    failure(ErrorCode.CLAIM_LOST, claim, "is not yours any more", reason);
            case Report.Unsettled(var claim, var _, var cause) ->
                    failure(ErrorCode.IO, claim, "is not finished", describe(cause));
            default -> null;
        };
    }

    /// What ended a drain before all was taken: a lock, or a transport that fails. Null if nothing
    /// did.
    @Nullable CliException endOfDrain(String address) {
        Report.GaveUp end = gaveUp;
        if (end != null) {
            return new CliException(
                    ErrorCode.IO,
                    "taking from " + address + ": " + describe(end.cause()),
                    end.cause());
        }
        Report.Withheld locked = withheld;
        return mode != Mode.DRAIN || locked == null
                ? null
                : Locked.by(call, locked.lock(), locked.reason(), address);
    }

    private CliException failureToTake(String address, Duration waited) {
        Report.Withheld locked = withheld;
        Report.Trouble met = trouble;
        if (locked != null) {
            return Locked.by(call, locked.lock(), locked.reason(), address);
        }
        if (met != null) {
            return new CliException(ErrorCode.IO, describe(met), met.cause());
        }
        return new CliException(
                ErrorCode.NOTHING,
                "nothing to take at "
                        + address
                        + (waited.isZero() ? "" : " within " + Ttl.format(waited)));
    }

    private static String describe(Report.Trouble met) {
        return met.what() + ": " + describe(met.cause());
    }

    private static CliException failure(ErrorCode code, Claim claim, String what, String note) {
        return new CliException(
                code,
                claim.envelope().id().shortForm()
                        + " "
                        + what
                        + (note.isEmpty() ? "" : ": " + note));
    }

    private static String word(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done _ -> "done";
            case Outcome.Failed _ -> "error";
            case Outcome.Released _ -> "released";
        };
    }

    private static String describe(Exception e) {
        return e instanceof IOException io ? FileProblem.describe(io) : String.valueOf(e);
    }

    private void tell(
            Report report,
            Claim claim,
            String status,
            String note,
            @Nullable Settlement settlement,
            @Nullable Duration took) {
        last = report;
        Integer exit = worker.exitOf(claim);
        State state = settlement instanceof Settlement.Settled settled ? settled.state() : null;
        Json.Obj json =
                Json.obj()
                        .put("id", claim.envelope().id().text())
                        .put("inbox", claim.inbox().name())
                        .put("topic", claim.envelope().topic())
                        .put("from", claim.envelope().from().name())
                        .put("attempt", claim.attempt())
                        .put("claim", claim.token())
                        .put("status", status)
                        .put("state", state == null ? Json.Null.NULL : Json.of(state.toString()))
                        .put("exit", exit == null ? Json.Null.NULL : Json.of(exit.intValue()))
                        .put("note", note);
        if (took != null) {
            json = json.put("took_s", took.toMillis() / MILLIS);
        }
        if (settlement instanceof Settlement.Withheld(var _, var _, var embargo)) {
            json = json.put("kept_in", embargo);
        }
        screen.result(json, text(claim, status, note, state, took));
    }

    private static String text(
            Claim claim,
            String status,
            String note,
            @Nullable State state,
            @Nullable Duration took) {
        StringBuilder line = new StringBuilder();
        line.append(claim.envelope().id().shortForm())
                .append("  ")
                .append(state == State.DEAD ? "dead" : status)
                .append("  ")
                .append(SafeText.line(claim.envelope().topic()));
        if (took != null) {
            line.append(", ").append(Ages.span(took));
        }
        if (claim.attempt() > 1) {
            line.append(", attempt ").append(claim.attempt());
        }
        if (!note.isEmpty()) {
            line.append(" (").append(SafeText.line(note)).append(')');
        }
        return line.toString();
    }
}
