package dev.pheromone.cli.look;

import dev.pheromone.cli.mail.QuestionScreen;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.admission.Throttled;
import dev.pheromone.lock.Breach;
import dev.pheromone.lock.GivenLeave;
import dev.pheromone.lock.Leave;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.ArchivedCopy;
import dev.pheromone.session.look.HiveState;
import dev.pheromone.session.look.NeedsYou;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What needs the caller, for people and for programs: a row or an object for each thing, with the
/// command to type.
final class NeedsTable {

    private static final String NOBODY = "-";

    private NeedsTable() {}

    static Json.Arr json(NeedsYou needs) {
        List<Json> items = new ArrayList<>();
        for (NeedsYou.Item item : needs.items()) {
            Json.Obj json = Json.obj().put("kind", item.kind());
            Json.Obj fields =
                    switch (item) {
                        case NeedsYou.Urgent urgent ->
                                json.put("id", urgent.id().text())
                                        .put("priority", urgent.priority().name())
                                        .put("from", urgent.from().name())
                                        .put("topic", urgent.topic())
                                        .put("since_at", IsoTime.format(urgent.since()));
                        case NeedsYou.Asked(var envelope, var question) ->
                                json.put("id", question.id().text())
                                        .put("from", envelope.from().name())
                                        .put("topic", envelope.topic())
                                        .putTexts("choices", question.ask().choices())
                                        .put("since_at", IsoTime.format(envelope.ts()))
                                        .put("ends_at", IsoTime.format(question.endsAt()));
                        case NeedsYou.Silent(var seat, var evidence) ->
                                json.put("from", seat.actor().name())
                                        .put("reason", evidence)
                                        .put("since_at", IsoTime.format(seat.lastSeenAt()));
                        case NeedsYou.Embargo embargo -> json.put("count", embargo.count());
                        case NeedsYou.Approval(var inbox, var since) ->
                                json.put("inbox", inbox.name())
                                        .put("since_at", IsoTime.format(since));
                        case NeedsYou.WantedOverride(var given) ->
                                json.put("path", target(given)).put("reason", given.problem());
                        case NeedsYou.Breached(var breach, var at) ->
                                json.put("path", breach.path())
                                        .put("reason", told(breach))
                                        .put("since_at", IsoTime.format(at));
                        case NeedsYou.Dead dead -> dead(json, dead.ended());
                        case NeedsYou.Throttled(var box) -> throttled(json, box);
                        case NeedsYou.Refused(var sender) ->
                                json.put("from", sender.sender().name())
                                        .put("inbox", sender.inbox().name())
                                        .put("count", sender.count())
                                        .put("reason", sender.reason())
                                        .put("since_at", IsoTime.format(sender.since()));
                        case NeedsYou.More more -> json.put("count", more.count());
                    };
            items.add(fields.put("command", item.command()));
        }
        return Json.arr(items);
    }

    /// The file that an override is for; its own if that can't be understood.
    private static String target(GivenLeave given) {
        Leave leave = given.leave();
        return leave == null ? given.file() : leave.target();
    }

    private static String told(Breach breach) {
        return breach.change() + " under lock " + breach.lock();
    }

    private static Json.Obj dead(Json.Obj json, HiveState.Ended ended) {
        EnvelopeId id = ended.item().id();
        Header header = ended.header();
        return json.putIfPresent("id", id == null ? null : id.text())
                .putIfPresent("from", header == null ? null : header.from().name())
                .putIfPresent("topic", header == null ? null : header.topic())
                .put("inbox", ended.item().inbox().name())
                .put("reason", ended.reason())
                .put("since_at", IsoTime.format(ArchivedCopy.endOf(ended.item())));
    }

    private static Json.Obj throttled(Json.Obj json, HiveState.Box box) {
        Throttled throttled = box.throttled();
        Json.Obj named = json.put("inbox", box.domain().name());
        return throttled == null
                ? named
                : named.put("cause", throttled.cause().toString())
                        .put("since_at", IsoTime.format(throttled.since()));
    }

    static Table of(NeedsYou needs, Instant now) {
        Table table = new Table("NEEDS YOU", "FROM", "WHAT", "SINCE", "TYPE");
        for (NeedsYou.Item item : needs.items()) {
            switch (item) {
                case NeedsYou.Urgent urgent ->
                        row(
                                table,
                                item,
                                new Table.Cell(
                                        urgent.priority().name(),
                                        urgent.priority() == Priority.P0
                                                ? Style.RED
                                                : Style.YELLOW),
                                urgent.from().name(),
                                urgent.topic(),
                                Ages.relative(urgent.since(), now));
                case NeedsYou.Asked(var envelope, var question) ->
                        row(
                                table,
                                item,
                                new Table.Cell(item.kind(), Style.RED),
                                envelope.from().name(),
                                envelope.topic()
                                        + ": "
                                        + QuestionScreen.choices(question.ask())
                                        + ", ends "
                                        + Ages.relative(question.endsAt(), now),
                                Ages.relative(envelope.ts(), now));
                case NeedsYou.Silent(var seat, var evidence) ->
                        row(
                                table,
                                item,
                                kind(item),
                                seat.actor().name(),
                                evidence,
                                Ages.relative(seat.lastSeenAt(), now));
                case NeedsYou.Embargo embargo ->
                        row(
                                table,
                                item,
                                kind(item),
                                NOBODY,
                                embargo.count() + (embargo.count() == 1 ? " waits" : " wait"),
                                NOBODY);
                case NeedsYou.Approval(var inbox, var since) ->
                        row(
                                table,
                                item,
                                kind(item),
                                NOBODY,
                                "expired mail stays at " + inbox.address(),
                                Ages.relative(since, now));
                case NeedsYou.WantedOverride(var given) ->
                        row(
                                table,
                                item,
                                kind(item),
                                NOBODY,
                                target(given) + ": " + given.problem(),
                                NOBODY);
                case NeedsYou.Breached(var breach, var at) ->
                        row(
                                table,
                                item,
                                new Table.Cell(item.kind(), Style.RED),
                                NOBODY,
                                breach.path() + ": " + told(breach),
                                Ages.relative(at, now));
                case NeedsYou.Dead(var ended) ->
                        row(
                                table,
                                item,
                                kind(item),
                                from(ended.header()),
                                topic(ended.header())
                                        + (ended.reason().isEmpty() ? "" : ": " + ended.reason()),
                                Ages.relative(ArchivedCopy.endOf(ended.item()), now));
                case NeedsYou.Throttled(var box) -> throttled(table, item, box, now);
                case NeedsYou.Refused(var sender) ->
                        row(
                                table,
                                item,
                                kind(item),
                                sender.sender().name(),
                                sender.count()
                                        + " at "
                                        + sender.inbox().address()
                                        + ": "
                                        + sender.reason(),
                                Ages.relative(sender.since(), now));
                case NeedsYou.More more ->
                        row(table, item, kind(item), NOBODY, more.count() + " more", NOBODY);
            }
        }
        return table;
    }

    private static void throttled(Table table, NeedsYou.Item item, HiveState.Box box, Instant now) {
        Throttled throttled = box.throttled();
        row(
                table,
                item,
                kind(item),
                NOBODY,
                box.domain().address() + (throttled == null ? "" : ": " + throttled.cause()),
                throttled == null ? NOBODY : Ages.relative(throttled.since(), now));
    }

    private static Table.Cell kind(NeedsYou.Item item) {
        return new Table.Cell(item.kind(), Style.YELLOW);
    }

    private static String from(@Nullable Header header) {
        return header == null ? NOBODY : header.from().name();
    }

    private static String topic(@Nullable Header header) {
        return header == null ? "(not an envelope)" : header.topic();
    }

    private static void row(
            Table table,
            NeedsYou.Item item,
            Table.Cell kind,
            String from,
            String what,
            String since) {
        table.row(
                kind,
                Table.Cell.of(from),
                Table.Cell.of(what),
                Table.Cell.of(since),
                Table.Cell.of(item.command()));
    }
}
