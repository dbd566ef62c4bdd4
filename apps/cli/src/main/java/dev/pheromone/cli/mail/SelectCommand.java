package dev.pheromone.cli.mail;

import dev.pheromone.Claim;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Locked;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.Take;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// `rsm select`: takes the most urgent envelope, for as long as its lease lasts.
public final class SelectCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("select", Group.AGENTS, "takes the most urgent envelope to work on it")
                .optional("ADDRESS", "whose inbox, such as code; else your own")
                .opt(
                        Opt.value(
                                "lease",
                                "DURATION",
                                "how long it is yours; else what hive.yaml says, or 30m"))
                .opt(Opt.value("wait", "DURATION", "wait this long for an envelope"))
                .opt(Opt.value("id", "ID", "take this envelope, whatever else waits"))
                .opt(Opt.flag("dry-run", "show what would be taken, and take nothing"))
                .opt(MailOptions.via("take it from this transport of hive.yaml"))
                .note(
                        "It is yours until the lease ends; rsm ack ID accepted renews it. End it"
                            + " with rsm ack ID done, or rsm ack ID error to have it tried again,"
                            + " or rsm release ID to give it back. Exit 4: there is nothing to"
                            + " take.")
                .example("rsm select code", "takes the next envelope for queen://code")
                .example("rsm select --id k3f9x2", "takes the envelope that you picked")
                .example("rsm select code --via team", "takes it from another transport")
                .example("rsm select code --via team --dry-run", "shows what that would take")
                .example(
                        "rsm select code --wait 10m --json",
                        "waits for one, and prints it as one object")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Session session = new Session(call, hive);
        Duration lease = call.args().duration("lease");
        if (call.args().has("id")) {
            refuseBesideId(call);
            String id = String.valueOf(call.args().value("id"));
            return answer(call, hive, session.take(id, address(call), lease), null);
        }
        if (call.args().has("dry-run")) {
            return switch (session.preview(address(call))) {
                case Take.Next(var opened, var rationale) -> new Look(opened, rationale);
                case Take.Nothing nothing -> throw nothing(nothing, null);
            };
        }
        Duration wait = call.args().duration("wait");
        return answer(
                call,
                hive,
                session.select(address(call), lease, wait == null ? Duration.ZERO : wait),
                wait);
    }

    private static @Nullable Address address(Invocation call) {
        String typed = call.args().operand(0);
        return typed == null ? null : Typed.address(call, "ADDRESS", typed);
    }

    private static void refuseBesideId(Invocation call) {
        for (String option : List.of("wait", "dry-run")) {
            if (call.args().has(option)) {
                throw new CliException(
                        ErrorCode.USAGE, "found --id and --" + option + ", expected one of them");
            }
        }
    }

    private static Answer answer(
            Invocation call, OpenHive hive, Take take, @Nullable Duration waited) {
        return switch (take) {
            case Take.Taken(var claim, var name) -> new Taken(claim, name, via(hive));
            case Take.Withheld(var lock, var reason, var inbox) ->
                    throw Locked.by(call, lock, reason, inbox.toString());
            case Take.Nothing nothing -> throw nothing(nothing, waited);
        };
    }

    private static String via(OpenHive hive) {
        return hive.mail().name().map(name -> " --via " + name).orElse("");
    }

    private static CliException nothing(Take.Nothing nothing, @Nullable Duration waited) {
        CliException none =
                new CliException(
                        ErrorCode.NOTHING,
                        "nothing to take at "
                                + nothing.inbox()
                                + (waited == null ? "" : " within " + Ttl.format(waited)));
        int paused = nothing.paused();
        Integer active = nothing.active();
        if (active == null) {
            return paused == 0 ? none : none.hint(paused + " paused after a failure");
        }
        return paused + active == 0
                ? none
                : none.hint(paused + " paused after a failure, " + active + " being worked on");
    }

    /// @param name what to type for the claim
    /// @param via what to type beside the claim
    private record Taken(Claim claim, String name, String via) implements Answer {

        private OpenedCopy opened() {
            return new OpenedCopy(
                    claim.envelope(),
                    claim.signature(),
                    claim.inbox(),
                    State.ACTIVE,
                    claim.location());
        }

        @Override
        public Json.Obj json() {
            return opened().json()
                    .put("claim", claim.token())
                    .put("inbox", claim.inbox().name())
                    .put("rationale", claim.rationale())
                    .put("attempt", claim.attempt())
                    .put("lease_ends_at", IsoTime.format(claim.leaseEndsAt()));
        }

        /// A claim that nobody knows of would keep the mail from everybody until its lease ends.
        @Override
        public CliException unwritten(Invocation call, OutputClosedException why) {
            try (OpenHive hive = TypedHive.open(call)) {
                if (new Session(call, hive).giveBack(claim, "the answer could not be written")
                        instanceof Settlement.Settled) {
                    return new CliException(
                            ErrorCode.IO,
                            why.described() + "; " + claim.envelope().id() + " was given back");
                }
            } catch (IOException | CliException | ProblemException e) {
                // Then whoever reads the error gives it back.
            }
            return new CliException(ErrorCode.IO, why.described() + "; the claim is " + name)
                    .hint("to give it back:")
                    .fix("rsm release " + name + via);
        }

        @Override
        public void show(Screen screen) {
            CopyScreen.show(opened(), screen);
            screen.blank();
            screen.line(
                    "yours for "
                            + Ages.span(Duration.between(screen.now(), claim.leaseEndsAt()))
                            + " ("
                            + claim.rationale()
                            + ")");
            screen.line("when it is done:  rsm ack " + name + " done" + via);
            Ask ask = claim.envelope().ask().orElse(null);
            if (ask != null) {
                QuestionScreen.showCommands(
                        ask.choices(),
                        ask.free(),
                        "rsm ack " + name + " done" + via + " --reply",
                        screen);
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(claim.token());
        }
    }

    private record Look(OpenedCopy opened, String rationale) implements Answer {

        @Override
        public Json.Obj json() {
            return opened.json().put("rationale", rationale).put("dry_run", true);
        }

        @Override
        public void show(Screen screen) {
            CopyScreen.show(opened, screen);
            screen.blank();
            screen.line("would be taken next (" + rationale + ")");
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(opened.envelope().id().text());
        }
    }
}
