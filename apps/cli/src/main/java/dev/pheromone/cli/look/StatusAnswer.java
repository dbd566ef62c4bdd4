package dev.pheromone.cli.look;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.lock.EmbargoCommand;
import dev.pheromone.cli.lock.LockListing;
import dev.pheromone.cli.lock.ReservationListing;
import dev.pheromone.cli.resident.Resident;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.admission.RefusedSender;
import dev.pheromone.file.scope.Reservation;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.look.HiveState;
import dev.pheromone.session.look.NeedsYou;
import dev.pheromone.session.seat.Presence;
import dev.pheromone.session.seat.Seat;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A hive's state on one screen: what needs the caller first. The rest is one line then, unless all
/// is wanted; where nothing needs the caller, it is shown at once.
///
/// @param agents the sessions of agents that are known here
/// @param isWhole whether all is wanted
/// @param resident the process that answers commands here, if one does
record StatusAnswer(
        HiveState state,
        NeedsYou needs,
        List<Session.Agent> agents,
        LockListing locks,
        List<Reservation> reservations,
        boolean isWhole,
        @Nullable Resident resident)
        implements Answer {

    /// More agents are counted, and not shown one by one.
    private static final int AGENTS_MAX = 5;

    /// More inboxes of other workers are shown as one line.
    private static final int WORKERS_MAX = 3;

    @Override
    public Json.Obj json() {
        List<Json> inboxes = new ArrayList<>();
        for (HiveState.Box box : state.boxes()) {
            inboxes.add(
                    Json.obj()
                            .put("inbox", box.domain().name())
                            .put("address", box.domain().address().toString())
                            .put("waiting", box.waiting())
                            .put("active", box.active())
                            .put("bad", box.bad())
                            .put(
                                    "oldest_age_s",
                                    box.oldest() == null
                                            ? Json.Null.NULL
                                            : Json.of(
                                                    Math.max(
                                                            0,
                                                            Duration.between(
                                                                            box.oldest(),
                                                                            state.now())
                                                                    .toSeconds())))
                            .put("backpressure", throttled(box)));
        }
        List<Json> claims = new ArrayList<>();
        for (HiveState.Claimed claim : state.claims()) {
            claims.add(claim(claim));
        }
        Json.Obj json = stateJson(inboxes, claims);
        if (!agents.isEmpty()) {
            json = json.put("agents", agentsJson());
        }
        return resident == null ? json : json.put("resident", residentJson(resident));
    }

    private Json.Arr agentsJson() {
        List<Json> items = new ArrayList<>();
        for (Session.Agent agent : agents) {
            items.add(
                    Json.obj()
                            .put("actor", agent.seat().actor().name())
                            .put("harness", agent.seat().harness())
                            .put("state", agent.presence().state().toString())
                            .put("evidence", agent.presence().evidence())
                            .put("since_at", IsoTime.format(agent.seat().since()))
                            .put("last_seen_at", IsoTime.format(agent.seat().lastSeenAt())));
        }
        return Json.arr(items);
    }

    private static Json.Obj residentJson(Resident resident) {
        Instant since = resident.since();
        Json.Obj json = Json.obj().put("pid", resident.pid()).put("answers", resident.answers());
        return since == null ? json : json.put("since_at", IsoTime.format(since));
    }

    private String said(Resident resident) {
        Instant since = resident.since();
        return since == null
                ? " does not answer; to end it:  kill -9 " + resident.pid()
                : " answers commands here, for " + Ages.span(Duration.between(since, state.now()));
    }

    private Json.Obj stateJson(List<Json> inboxes, List<Json> claims) {
        return Json.obj()
                .put("root", state.root())
                .put("actor", state.actor())
                .put("address", state.address().toString())
                .put("needs_you", NeedsTable.json(needs))
                .put("waiting", state.waiting())
                .put("inboxes", Json.arr(inboxes))
                .put("claims", Json.arr(claims))
                .put("locks", Json.arr(locks.jsonItems()))
                .put("reservations", Json.arr(ReservationListing.jsonItems(reservations)))
                .put("muted", muted())
                .put("refused", refused())
                .put("outbox", outbox())
                .put("kept", state.kept())
                .put("expired", ended(state.expired()))
                .put("dead", ended(state.dead()))
                .put("next", state.next());
    }

    private static Json throttled(HiveState.Box box) {
        return box.throttled() == null
                ? Json.Null.NULL
                : Json.obj()
                        .put("cause", box.throttled().cause().toString())
                        .put("since_at", IsoTime.format(box.throttled().since()));
    }

    private Json.Arr refused() {
        List<Json> refused = new ArrayList<>();
        for (RefusedSender one : state.refused()) {
            refused.add(
                    Json.obj()
                            .put("sender", one.sender().name())
                            .put("inbox", one.inbox().name())
                            .put("count", one.count())
                            .put("since_at", IsoTime.format(one.since()))
                            .put("reason", one.reason()));
        }
        return Json.arr(refused);
    }

    private Json.Arr muted() {
        List<Json> muted = new ArrayList<>();
        for (Mute mute : state.mutes()) {
            muted.add(
                    Json.obj()
                            .put("actor", mute.actor().name())
                            .put("until_at", IsoTime.format(mute.until())));
        }
        return Json.arr(muted);
    }

    private Json.Arr outbox() {
        List<Json> spools = new ArrayList<>();
        for (HiveState.Spool spool : state.outbox()) {
            spools.add(
                    Json.obj().put("transport", spool.transport()).put("waiting", spool.waiting()));
        }
        return Json.arr(spools);
    }

    private static Json.Obj claim(HiveState.Claimed claim) {
        EnvelopeId id = claim.item().id();
        Catalog.Held held = claim.held();
        return Json.obj()
                .put("id", id == null ? Json.Null.NULL : Json.of(id.text()))
                .put("inbox", claim.item().inbox().name())
                .put("topic", claim.topic())
                .put("claim", held.token())
                .put("worker", held.worker().name())
                .put("attempt", held.attempt())
                .put("claimed_at", IsoTime.format(held.claimedAt()))
                .put("lease_ends_at", IsoTime.format(held.leaseEndsAt()));
    }

    private static Json.Arr ended(List<HiveState.Ended> ended) {
        List<Json> items = new ArrayList<>();
        for (HiveState.Ended one : ended) {
            EnvelopeId id = one.item().id();
            Header header = one.header();
            items.add(
                    Json.obj()
                            .put("id", id == null ? Json.Null.NULL : Json.of(id.text()))
                            .put("inbox", one.item().inbox().name())
                            .put("topic", header == null ? Json.Null.NULL : Json.of(header.topic()))
                            .put(
                                    "from",
                                    header == null ? Json.Null.NULL : Json.of(header.from().name()))
                            .put("ended_at", IsoTime.format(at(one)))
                            .put("reason", one.reason()));
        }
        return Json.arr(items);
    }

    private static Instant at(HiveState.Ended one) {
        return one.item().since() == null ? Instant.EPOCH : one.item().since();
    }

    @Override
    public void show(Screen screen) {
        screen.line(
                "hive "
                        + SafeText.line(state.root())
                        + "; you are "
                        + state.actor()
                        + ", at "
                        + state.address());
        if (resident != null) {
            screen.line("resident: process " + resident.pid() + said(resident));
        }
        showNeeds(screen);
        showAgents(screen);
        if (isWhole || needs.items().isEmpty()) {
            showInboxes(screen);
            showClaims(screen);
            showHeldUp(screen);
            showLocks(screen);
            showReservations(screen);
            showEnded(screen);
        } else {
            screen.blank();
            screen.line(folded() + "; all of it:  rsm status --all");
        }
        screen.line("next:  " + state.next());
    }

    void showNeeds(Screen screen) {
        if (!needs.items().isEmpty()) {
            screen.table(NeedsTable.of(needs, state.now()));
        }
    }

    /// The agents that are here: what each does, and the mail that each works on.
    private void showAgents(Screen screen) {
        List<Session.Agent> here = new ArrayList<>(agents);
        here.removeIf(agent -> agent.presence().state() == Presence.State.GONE);
        if (here.isEmpty()) {
            return;
        }
        if (!needs.items().isEmpty()) {
            screen.blank();
        }
        Table table = new Table("AGENT", "STATE", "SINCE", "WORKS ON", "LAST SEEN");
        for (Session.Agent agent : here.subList(0, Math.min(AGENTS_MAX, here.size()))) {
            Seat seat = agent.seat();
            table.row(
                    seat.actor().name(),
                    agent.presence().state().toString(),
                    Ages.relative(seat.since(), state.now()),
                    worksOn(seat.actor()),
                    Ages.relative(seat.lastSeenAt(), state.now()));
        }
        screen.table(table);
        if (here.size() > AGENTS_MAX) {
            screen.line("and " + (here.size() - AGENTS_MAX) + " more agents:  rsm agents");
        }
        if (isWhole || needs.items().isEmpty()) {
            screen.blank();
        }
    }

    private String worksOn(Actor actor) {
        List<HiveState.Claimed> own = new ArrayList<>(state.claims());
        own.removeIf(claim -> !claim.held().worker().equals(actor));
        return own.isEmpty()
                ? "-"
                : own.getFirst().topic()
                        + (own.size() == 1 ? "" : " and " + (own.size() - 1) + " more");
    }

    /// What else there is, in figures.
    private String folded() {
        StringBuilder line = new StringBuilder();
        Line.add(line, state.waiting(), "waiting");
        Line.add(line, state.claims().size(), "active");
        Line.add(line, state.mutes().size(), "muted");
        Line.add(line, spooled(), "to go");
        Line.add(line, locks.items().size(), "locked");
        Line.add(line, reservations.size(), "reserved");
        Line.add(line, state.expired().size(), "expired");
        return line.isEmpty() ? "nothing waits" : line.toString();
    }

    private int spooled() {
        return state.outbox().stream().mapToInt(HiveState.Spool::waiting).sum();
    }

    private void showReservations(Screen screen) {
        if (!reservations.isEmpty()) {
            screen.blank();
            screen.table(ReservationListing.table(reservations, state.now()));
        }
    }

    void showInboxes(Screen screen) {
        Table table = new Table("INBOX", "WAITING", "ACTIVE", "OLDEST", "NEXT");
        List<HiveState.Box> workers = new ArrayList<>();
        for (HiveState.Box box : state.boxes()) {
            if (isOfAnotherWorker(box)) {
                workers.add(box);
            } else if (!box.isQuiet()) {
                row(table, box.domain().address().toString(), box);
            }
        }
        workers.removeIf(HiveState.Box::isQuiet);
        if (workers.size() > WORKERS_MAX) {
            row(table, workers.size() + " workers", HiveState.Box.sum(workers));
        } else {
            workers.forEach(box -> row(table, box.domain().address().toString(), box));
        }
        if (table.isEmpty()) {
            screen.line("nothing waits in " + state.boxes().size() + " inboxes");
        } else {
            screen.table(table);
        }
    }

    private boolean isOfAnotherWorker(HiveState.Box box) {
        Address address = box.domain().address();
        return address instanceof Address.Worker && !address.equals(state.address());
    }

    private void row(Table table, String name, HiveState.Box box) {
        table.row(
                name,
                box.waiting() + (box.bad() == 0 ? "" : " (and " + box.bad() + " bad)"),
                String.valueOf(box.active()),
                box.oldest() == null ? "-" : Ages.span(Duration.between(box.oldest(), state.now())),
                box.next());
    }

    void showClaims(Screen screen) {
        if (state.claims().isEmpty()) {
            return;
        }
        screen.blank();
        Table table = new Table("CLAIMED", "TOPIC", "BY", "INBOX", "TRY", "LEASE ENDS");
        for (HiveState.Claimed claim : state.claims()) {
            EnvelopeId id = claim.item().id();
            table.row(
                    id == null ? "-" : id.shortForm(),
                    claim.topic().isEmpty() ? "-" : claim.topic(),
                    claim.held().worker().name(),
                    claim.item().inbox().address().toString(),
                    String.valueOf(claim.held().attempt()),
                    Ages.relative(claim.held().leaseEndsAt(), state.now()));
        }
        screen.table(table);
    }

    /// What keeps mail from its inbox: backpressure, mutes, transports that are away, the embargo.
    void showHeldUp(Screen screen) {
        showThrottled(screen);
        showOutbox(screen);
        if (state.kept() > 0) {
            screen.line(EmbargoCommand.told(state.kept()));
        }
    }

    private void showThrottled(Screen screen) {
        for (HiveState.Box box : state.boxes()) {
            if (box.throttled() != null) {
                screen.line(
                        "%s is under backpressure (%s), since %s"
                                .formatted(
                                        box.domain().address(),
                                        box.throttled().cause(),
                                        Ages.relative(box.throttled().since(), state.now())));
            }
        }
        for (Mute mute : state.mutes()) {
            screen.line(
                    "%s is muted for %s"
                            .formatted(
                                    mute.actor(),
                                    Ages.span(Duration.between(state.now(), mute.until()))));
        }
        for (RefusedSender refused : state.refused()) {
            screen.line(
                    "%s is refused at %s, %d since %s: %s"
                            .formatted(
                                    refused.sender(),
                                    refused.inbox().address(),
                                    refused.count(),
                                    Ages.relative(refused.since(), state.now()),
                                    SafeText.line(refused.reason())));
        }
    }

    private void showOutbox(Screen screen) {
        for (HiveState.Spool spool : state.outbox()) {
            screen.line(
                    "%d %s for %s; to try now:  rsm doctor --fix"
                            .formatted(
                                    spool.waiting(),
                                    spool.waiting() == 1 ? "waits" : "wait",
                                    spool.transport()));
        }
    }

    private void showLocks(Screen screen) {
        if (!locks.items().isEmpty()) {
            screen.blank();
            screen.table(locks.table(state.now()));
        }
    }

    /// What ended badly and was not sent anew.
    void showEnded(Screen screen) {
        showEnded(screen, "expired unread, sent by you", state.expired());
        showEnded(screen, "dead", state.dead());
    }

    private void showEnded(Screen screen, String heading, List<HiveState.Ended> ended) {
        if (ended.isEmpty()) {
            return;
        }
        screen.blank();
        screen.line(screen.styled(Style.YELLOW, heading) + ":");
        boolean isTold = ended.stream().anyMatch(one -> !one.reason().isEmpty());
        Table table =
                isTold
                        ? new Table("ID", "INBOX", "TOPIC", "FROM", "ENDED", "WHY")
                        : new Table("ID", "INBOX", "TOPIC", "FROM", "ENDED");
        for (HiveState.Ended one : ended) {
            EnvelopeId id = one.item().id();
            Header header = one.header();
            List<String> cells = new ArrayList<>();
            cells.add(id == null ? "-" : id.shortForm());
            cells.add(one.item().inbox().address().toString());
            cells.add(header == null ? "(not an envelope)" : header.topic());
            cells.add(header == null ? "-" : header.from().name());
            cells.add(Ages.relative(at(one), state.now()));
            if (isTold) {
                cells.add(one.reason().isEmpty() ? "-" : one.reason());
            }
            table.row(cells.toArray(String[]::new));
        }
        screen.table(table);
    }

    @Override
    public void showBriefly(Screen screen) {
        new Line(this).show(screen);
    }

    /// The state in a few words, for a prompt.
    record Line(StatusAnswer whole) implements Answer {

        @Override
        public Json.Obj json() {
            return whole.json();
        }

        @Override
        public void show(Screen screen) {
            StringBuilder line = new StringBuilder();
            HiveState state = whole.state();
            add(line, state.waiting(), "waiting");
            add(line, state.claims().size(), "active");
            add(line, whole.spooled(), "to go");
            add(line, state.kept(), "in the embargo");
            add(line, whole.locks().items().size(), "locked");
            add(line, state.expired().size(), "expired");
            add(line, state.dead().size(), "dead");
            if (!line.isEmpty()) {
                screen.line(line.toString());
            }
        }

        private static void add(StringBuilder line, int count, String word) {
            if (count > 0) {
                line.append(line.isEmpty() ? "" : ", ").append(count).append(' ').append(word);
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            show(screen);
        }
    }
}
