package dev.pheromone.cli.serve;

import dev.pheromone.Carrier;
import dev.pheromone.OtherReceiverException;
import dev.pheromone.SendResult;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Reach;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.StopSignals;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.hive.Bridge;
import dev.pheromone.hive.Bridge.Route;
import dev.pheromone.hive.Bridge.Side;
import dev.pheromone.hive.Bridge.Step;
import dev.pheromone.hive.BridgeCrew;
import dev.pheromone.mqtt.MqttCarrier;
import dev.pheromone.mqtt.MqttOptions;
import dev.pheromone.session.bridge.BridgePlan;
import dev.pheromone.session.bridge.BridgeSides;
import dev.pheromone.session.bridge.Brokers;
import dev.pheromone.session.bridge.Receiving;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.PublicPass;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `rsm bridge`: carries mail between two hives or transports, each inbox's to where it is at home.
public final class BridgeCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("bridge", Group.OPERATORS, "carries mail between hives and transports")
                .required("A", "one side: . for this hive, the folder of another, or a transport")
                .required("B", "the other side")
                .opt(Opt.value("domain", "ADDRESS", "carry its mail from A to B").repeated())
                .opt(Opt.value("back", "ADDRESS", "carry its mail from B to A").repeated())
                .opt(Opt.flag("once", "end when one envelope is carried"))
                .opt(Opt.flag("drain", "end when nothing is ready"))
                .opt(Opt.flag("public", "allow a side that anybody can read"))
                .opt(
                        Opt.flag(
                                "fetch-old",
                                "fetch what rsm 0.1 left on an MQTT broker into the other side, and"
                                        + " end"))
                .opt(
                        Opt.flag(
                                "take-over",
                                "receive in the place of whoever receives from the broker now"))
                .note(
                        "Mail goes to the side where its inbox is at home. Without --domain and"
                            + " --back that is the only side that has the inbox; the other gets one"
                            + " of the same name, for mail to be left in. Inboxes that both have"
                            + " stay as they are.")
                .note(
                        "Not a byte of the mail changes. It is finished on one side once it has"
                            + " arrived on the other, so a bridge that is killed loses nothing, and"
                            + " what it sends twice has one effect. Nothing goes beyond its"
                            + " consent; to a side that anybody can read only public mail goes that"
                            + " has nothing to redact. One bridge between two sides is enough."
                            + " SIGTERM or Ctrl-C lets what is on its way arrive.")
                .note(
                        "An MQTT broker keeps no inboxes. From there mail is received for the"
                            + " inboxes that --back or receive: in hive.yaml names, into the hive"
                            + " on the other side, and its senders are told what became of it. One"
                            + " receiver an inbox: another gets exit 5, or --take-over.")
                .example(
                        "rsm bridge . team",
                        "exchanges mail with the transport that hive.yaml calls team")
                .example(
                        "rsm bridge . ../other --domain ops --back code",
                        "ops is worked on in the other hive, code in this one")
                .example("rsm bridge . team --drain --json", "carries what is there, and ends")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        if (call.args().has("once") && call.args().has("drain")) {
            throw new CliException(
                    ErrorCode.USAGE, "--once and --drain are both given, expected one");
        }
        try (BridgeSides sides =
                new BridgeSides(
                        call,
                        hive,
                        String.valueOf(call.args().operand(0)),
                        String.valueOf(call.args().operand(1)),
                        call.userFiles()::resolve)) {
            refusePublicSlip(call, sides.first());
            refusePublicSlip(call, sides.second());
            return new Run(call, hive, sides).run();
        }
    }

    private static void refusePublicSlip(Invocation call, Side side) {
        if (side.transport().reach() == Reach.PUBLIC && !call.args().has("public")) {
            throw new CliException(
                            ErrorCode.USAGE,
                            side.name() + " reaches public, expected --public or a narrower reach")
                    .hint(
                            "if only the team can read there, say so in hive.yaml: reach: team; if"
                                    + " it is meant to be public:")
                    .fix(call.line().plus("--public").toString());
        }
    }

    /// One run, and what it has done so far.
    private static final class Run implements BridgeCrew.Log, Bridge.Border {

        private final Invocation call;
        private final OpenHive hive;
        private final BridgeSides sides;
        private final Bridge bridge;
        private final Instant began;
        private final Map<Route, Tally> tallies = new HashMap<>();
        private final Map<String, String> troubles = new HashMap<>();

        /// What became of one way's mail.
        private static final class Tally {
            private long carried;
            private long stopped;
        }

        Run(Invocation call, OpenHive hive, BridgeSides sides) {
            this.call = call;
            this.hive = hive;
            this.sides = sides;
            this.bridge = new Bridge(call.actor(), sides, this, call.surroundings().clock());
            this.began = call.now();
        }

        Answer run() throws IOException {
            Map<Domain, Side> named = named();
            if (call.args().has("fetch-old")) {
                fetchOld();
                return answer();
            }
            BridgePlan plan = new BridgePlan(call, sides, named);
            List<Route> received =
                    sides.hasCarrier()
                            ? plan.routes().stream().filter(this::isReceived).toList()
                            : List.of();
            if (!received.isEmpty()) {
                receive(plan, received);
            } else if (call.args().has("once") || call.args().has("drain")) {
                drain(routes(plan));
            } else {
                BridgeCrew crew = new BridgeCrew(bridge, () -> routes(plan), this);
                try (StopSignals _ = new StopSignals(crew::stop)) {
                    crew.run();
                }
            }
            return answer();
        }

        /// Where inboxes are at home, as it was typed.
        private Map<Domain, Side> named() {
            Map<Domain, Side> named = new LinkedHashMap<>();
            for (String typed : call.args().values("domain")) {
                named.put(Typed.address("option --domain", typed).domain(), sides.second());
            }
            for (String typed : call.args().values("back")) {
                Domain inbox = Typed.address("option --back", typed).domain();
                if (sides.second().equals(named.put(inbox, sides.first()))) {
                    throw new CliException(
                            ErrorCode.USAGE,
                            inbox.address() + ": found in --domain and in --back, expected one");
                }
            }
            return named;
        }

        /// Fetches what version 0.1 left on a broker.
        private void fetchOld() throws IOException {
            Side from = sides.isCarrier(sides.first()) ? sides.first() : sides.second();
            Side to = from.equals(sides.first()) ? sides.second() : sides.first();
            if (!sides.isCarrier(from)) {
                throw new CliException(
                        ErrorCode.USAGE, "--fetch-old: found no MQTT broker, expected one side");
            }
            Receiving receiving =
                    new Receiving(
                            call,
                            hive,
                            sides.broker(from),
                            to.transport(),
                            List.of(),
                            joining(),
                            new Arrivals(from, to));
            MqttCarrier.Fetched fetched;
            try (MqttCarrier broker =
                    sides.broker(from).broker(options -> options.withJoining(joining()))) {
                fetched = broker.fetchOlder(receiving);
            } catch (OtherReceiverException e) {
                throw taken(String.valueOf(e.getMessage()));
            }
            for (String left : fetched.left()) {
                call.warn("left at " + from.name() + ": " + left);
            }
        }

        private MqttOptions.Joining joining() {
            return call.args().has("take-over")
                    ? MqttOptions.Joining.TAKES_OVER
                    : MqttOptions.Joining.YIELDS;
        }

        private boolean isReceived(Route route) {
            return sides.isCarrier(route.from());
        }

        private boolean begun;

        /// The routes whose mail is taken from where it lies.
        private List<Route> routes(BridgePlan plan) throws IOException {
            List<Route> routes = plan.routes();
            if (!begun) {
                begun = true;
                call.note(plan.text(routes));
            }
            return routes.stream().filter(route -> !isReceived(route)).toList();
        }

        /// Receives from a broker, and carries what goes there meanwhile.
        private void receive(BridgePlan plan, List<Route> received) throws IOException {
            if (call.args().has("once") || call.args().has("drain")) {
                throw new CliException(
                        ErrorCode.USAGE,
                        "--once and --drain: a broker does not say when that was all, expected a"
                                + " bridge that stays");
            }
            Side from = received.getFirst().from();
            Side to = received.getFirst().to();
            Receiving receiving =
                    new Receiving(
                            call,
                            hive,
                            sides.broker(from),
                            to.transport(),
                            received.stream().map(Route::inbox).toList(),
                            joining(),
                            new Arrivals(from, to));
            BridgeCrew crew = new BridgeCrew(bridge, () -> routes(plan), this);
            Thread carrying = Thread.ofVirtual().name("bridge").start(crew::run);
            try (StopSignals _ = new StopSignals(receiving::stop);
                    Brokers brokers = new Brokers(call, hive)) {
                if (sides.isThisHive(to) && sides.broker(from).config().events()) {
                    brokers.publishEvents(from.name());
                }
                Carrier.Ending ending = receiving.run();
                if (!(ending instanceof Carrier.Ending.Closed)) {
                    String over = from.name() + ": " + Brokers.over(ending);
                    throw ending instanceof Carrier.Ending.TakenOver
                            ? taken(over)
                            : new CliException(ErrorCode.IO, over);
                }
            } catch (OtherReceiverException e) {
                throw taken(String.valueOf(e.getMessage()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                receiving.close();
                crew.stop();
                join(carrying);
            }
        }

        /// The error of a bridge whose place is taken.
        private CliException taken(String message) {
            CliException problem = new CliException(ErrorCode.CONFLICT, message);
            return call.args().has("take-over")
                    ? problem
                    : problem.hint("to receive here in its place:")
                            .fix(call.line().plus("--take-over").toString());
        }

        private static void join(Thread thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /// What comes from a broker, told as what a bridge carries.
        private final class Arrivals implements Receiving.Log {

            private final Side from;
            private final Side to;

            Arrivals(Side from, Side to) {
                this.from = from;
                this.to = to;
            }

            @Override
            public void joined() {
                synchronized (Run.this) {
                    troubles.remove(from.name());
                }
                call.note("receiving from " + from.name());
            }

            @Override
            public void received(Envelope envelope, Domain inbox, SendResult result) {
                Route route = new Route(from, to, inbox);
                switch (Carrier.Fate.of(result)) {
                    case TAKEN -> {
                        if (!(result instanceof SendResult.Duplicate)) {
                            accept(new Step.Carried(route, envelope));
                        }
                    }
                    case REFUSED ->
                            accept(new Step.Stopped(route, envelope, result.why(), Duration.ZERO));
                    case NOT_NOW -> accept(new Step.HeldUp(route, result.why(), Duration.ZERO));
                }
            }

            @Override
            public void trouble(String what) {
                synchronized (Run.this) {
                    if (!what.equals(troubles.put(from.name(), what))) {
                        call.note(what);
                    }
                }
            }
        }

        /// Goes round as long as something moves.
        private void drain(List<Route> routes) throws IOException {
            boolean once = call.args().has("once");
            boolean moved = true;
            while (moved) {
                moved = false;
                for (Route route : routes) {
                    Step step = bridge.step(route);
                    accept(step);
                    switch (step) {
                        case Step.Carried _ -> {
                            if (once) {
                                return;
                            }
                            moved = true;
                        }
                        // Where it would be handed out again at once, the others wait behind it.
                        case Step.Stopped(var _, var _, var _, var rest) -> moved |= rest.isZero();
                        case Step.LeftAlone(var _, var rest) -> moved |= rest.isZero();
                        case Step.HeldUp _, Step.Nothing _ -> {}
                    }
                }
            }
            if (once) {
                throw new CliException(
                        ErrorCode.NOTHING,
                        "nothing to carry between "
                                + sides.first().name()
                                + " and "
                                + sides.second().name());
            }
        }

        @Override
        public synchronized void accept(Step step) {
            switch (step) {
                case Step.Carried(var route, var envelope) -> {
                    tally(route).carried++;
                    clear(route);
                    call.note("carried " + of(envelope) + way(route));
                }
                case Step.Stopped(var route, var envelope, var why, var _) -> {
                    tally(route).stopped++;
                    clear(route);
                    call.note("did not carry " + of(envelope) + way(route) + ": " + why);
                }
                case Step.HeldUp(var route, var why, var _) -> tell(key(route), why);
                case Step.LeftAlone _, Step.Nothing _ -> {}
            }
        }

        private Tally tally(Route route) {
            return tallies.computeIfAbsent(route, _ -> new Tally());
        }

        private static String of(Envelope envelope) {
            return envelope.id().shortForm() + " (" + SafeText.line(envelope.topic()) + ")";
        }

        private static String way(Route route) {
            return " to " + route.inbox().address() + " at " + route.to().name();
        }

        private static String key(Route route) {
            return route.from().name() + " " + route.to().name() + " " + route.inbox();
        }

        private void clear(Route route) {
            troubles.remove(key(route));
        }

        @Override
        public synchronized void trouble(String what, Exception cause) {
            tell(
                    what,
                    cause instanceof IOException failed
                            ? FileProblem.describe(failed)
                            : String.valueOf(cause.getMessage()));
        }

        /// Told once, until it is another.
        private void tell(String about, String problem) {
            if (!problem.equals(troubles.put(about, problem))) {
                call.note(problem + "; trying again");
            }
        }

        @Override
        public Optional<String> objection(Route route, Envelope envelope) throws IOException {
            String problem = hive.publicPass().problem(envelope, PublicPass.Tells.LOG);
            return problem.isEmpty() ? Optional.empty() : Optional.of(problem);
        }

        private synchronized Answer answer() {
            List<Json> routes = new ArrayList<>();
            long carried = 0;
            long stopped = 0;
            for (Map.Entry<Route, Tally> one : tallies.entrySet()) {
                Tally tally = one.getValue();
                carried += tally.carried;
                stopped += tally.stopped;
                routes.add(
                        Json.obj()
                                .put("inbox", one.getKey().inbox().name())
                                .put("from", one.getKey().from().name())
                                .put("to", one.getKey().to().name())
                                .put("carried", tally.carried)
                                .put("stopped", tally.stopped));
            }
            return new Bridged(
                    sides.first().name(),
                    sides.second().name(),
                    carried,
                    stopped,
                    routes,
                    Duration.between(began, call.now()));
        }
    }

    private record Bridged(
            String first,
            String second,
            long carried,
            long stopped,
            List<Json> routes,
            Duration time)
            implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("a", first)
                    .put("b", second)
                    .put("carried", carried)
                    .put("stopped", stopped)
                    .put("routes", Json.arr(routes))
                    .put("ran_s", time.toSeconds());
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "carried %d between %s and %s%s"
                            .formatted(
                                    carried,
                                    first,
                                    second,
                                    stopped == 0 ? "" : ", " + stopped + " could not go"));
        }
    }
}
