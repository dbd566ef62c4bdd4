package dev.pheromone.cli;

import dev.pheromone.EnvelopeId;
import dev.pheromone.Header;
import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.file.Catalog;
import dev.pheromone.file.Mute;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A hive's state on one screen.
record StatusAnswer(HiveState state) implements Answer {

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
        for (Catalog.Item item : state.claims()) {
            claims.add(claim(item));
        }
        return Json.obj()
                .put("root", state.root())
                .put("actor", state.actor())
                .put("address", state.address().toString())
                .put("waiting", state.waiting())
                .put("inboxes", Json.arr(inboxes))
                .put("claims", Json.arr(claims))
                .put("locks", Json.arr(state.locks().jsonItems()))
                .put("muted", muted())
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

    private static Json.Obj claim(Catalog.Item item) {
        Json.Obj json =
                Json.obj()
                        .put("id", item.id() == null ? Json.Null.NULL : Json.of(item.id().text()))
                        .put("inbox", item.inbox().name());
        Catalog.Held held = item.claim();
        return held == null
                ? json
                : json.put("claim", held.token())
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
                            .put("ended_at", IsoTime.format(at(one))));
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
        showInboxes(screen);
        showClaims(screen);
        showThrottled(screen);
        showOutbox(screen);
        if (state.kept() > 0) {
            screen.line(EmbargoCommand.told(state.kept()));
        }
        showLocks(screen);
        showEnded(screen, "expired unread, sent by you", state.expired());
        showEnded(screen, "dead", state.dead());
        screen.line("next:  " + state.next());
    }

    void showInboxes(Screen screen) {
        Table table = new Table("INBOX", "WAITING", "ACTIVE", "OLDEST", "NEXT");
        for (HiveState.Box box : state.boxes()) {
            if (!box.isQuiet()) {
                table.row(
                        box.domain().address().toString(),
                        box.waiting() + (box.bad() == 0 ? "" : " (and " + box.bad() + " bad)"),
                        String.valueOf(box.active()),
                        box.oldest() == null
                                ? "-"
                                : Ages.span(Duration.between(box.oldest(), state.now())),
                        box.next());
            }
        }
        if (table.isEmpty()) {
            screen.line("nothing waits in " + state.boxes().size() + " inboxes");
        } else {
            screen.table(table);
        }
    }

    void showClaims(Screen screen) {
        if (state.claims().isEmpty()) {
            return;
        }
        screen.blank();
        Table table = new Table("CLAIMED", "BY", "INBOX", "TRY", "LEASE ENDS");
        for (Catalog.Item item : state.claims()) {
            Catalog.Held held = item.claim();
            if (held != null && item.id() != null) {
                table.row(
                        item.id().shortForm(),
                        held.worker().name(),
                        item.inbox().address().toString(),
                        String.valueOf(held.attempt()),
                        Ages.relative(held.leaseEndsAt(), state.now()));
            }
        }
        screen.table(table);
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
                    "%s is muted, until %s"
                            .formatted(mute.actor(), Ages.relative(mute.until(), state.now())));
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
        if (!state.locks().items().isEmpty()) {
            screen.blank();
            screen.table(state.locks().table(state.now()));
        }
    }

    private void showEnded(Screen screen, String heading, List<HiveState.Ended> ended) {
        if (ended.isEmpty()) {
            return;
        }
        screen.blank();
        screen.line(screen.styled(Style.YELLOW, heading) + ":");
        Table table = new Table("ID", "INBOX", "TOPIC", "FROM", "ENDED");
        for (HiveState.Ended one : ended) {
            EnvelopeId id = one.item().id();
            Header header = one.header();
            table.row(
                    id == null ? "-" : id.shortForm(),
                    one.item().inbox().address().toString(),
                    header == null ? "(no envelope)" : header.topic(),
                    header == null ? "-" : header.from().name(),
                    Ages.relative(at(one), state.now()));
        }
        screen.table(table);
    }

    @Override
    public void showBriefly(Screen screen) {
        new Line(state).show(screen);
    }

    /// The state in a few words, for a prompt.
    record Line(HiveState state) implements Answer {

        @Override
        public Json.Obj json() {
            return new StatusAnswer(state).json();
        }

        @Override
        public void show(Screen screen) {
            StringBuilder line = new StringBuilder();
            add(line, state.waiting(), "waiting");
            add(line, state.claims().size(), "active");
            add(line, state.outbox().stream().mapToInt(HiveState.Spool::waiting).sum(), "to go");
            add(line, state.kept(), "in the mirror");
            add(line, state.locks().items().size(), "locked");
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
