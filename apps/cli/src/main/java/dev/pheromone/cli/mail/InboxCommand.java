package dev.pheromone.cli.mail;

import dev.pheromone.address.Domain;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.InboxView;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// `rsm inbox`: what waits, in the order in which it would be taken.
public final class InboxCommand implements HiveCommand {

    private static final int LIMIT_MAX = 10_000;

    @Override
    public Spec spec() {
        return Spec.of("inbox", Group.AGENTS, "shows what waits, in the order it would be taken")
                .optional("ADDRESS", "whose inbox, such as code; else your own")
                .opt(Opt.value("from", "ACTOR", "only from this sender"))
                .opt(Opt.value("lane", "LANE", "only in this lane"))
                .opt(Opt.choice("priority", "only of this class", MailOptions.PRIORITIES))
                .opt(Opt.value("limit", "N", "show at most N").withFallback("50"))
                .opt(Opt.flag("by-sender", "count by sender instead"))
                .opt(MailOptions.via("what waits at this transport of hive.yaml"))
                .note(
                        "PRI shows P1→P2 where age or a failure has lowered the class, TRY shows 2"
                                + " in 8s where the second attempt has to wait 8 s. Looking takes"
                                + " nothing. Mail whose lease has expired comes back, though, as it"
                                + " does with every command.")
                .example("rsm inbox code", "shows the mail for queen://code")
                .example("rsm inbox --by-sender code", "shows who fills it")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Session session = new Session(call, hive);
        String address = call.args().operand(0);
        InboxView view =
                session.inbox(
                        address == null ? null : Typed.address(call, "ADDRESS", address),
                        new InboxView.Filter(
                                call.args().value("from"),
                                call.args().value("lane"),
                                call.args().value("priority")));
        if (call.args().has("by-sender")) {
            return new BySender(view.inbox(), view.mail(), call.now());
        }
        int limit = call.args().count("limit", 1, LIMIT_MAX);
        List<Row> rows = new ArrayList<>();
        for (Waiting.Mail item :
                view.mail().size() > limit ? view.mail().subList(0, limit) : view.mail()) {
            session.signature(view.inbox(), item)
                    .ifPresent(signature -> rows.add(new Row(item, signature)));
        }
        return new Listing(view, rows, call.now());
    }

    private record Row(Waiting.Mail mail, String signature) {

        Json.Obj json(Instant now) {
            Urgency urgency = mail.urgency();
            Json.Obj row =
                    Json.obj()
                            .put("id", mail.header().id().text())
                            .put("topic", mail.header().topic())
                            .put("from", mail.header().from().name())
                            .put("lane", mail.header().lane().name())
                            .put("priority", mail.header().priority().name())
                            .put("effective", "P" + urgency.effectiveClass(now))
                            .put("weight", Math.round(urgency.weight(now) * 1000) / 1000.0)
                            .put("age_s", seconds(urgency.orderTime(), now))
                            .put("expires_in_s", seconds(now, urgency.expiresAt()))
                            .put("attempt", mail.attempt())
                            .put("signature", signature)
                            .put("path", mail.location());
            return urgency.notBefore() == null || urgency.isReady(now)
                    ? row
                    : row.put("paused_s", seconds(now, urgency.notBefore()));
        }

        /// Its attempt, and when that may begin if it is paused.
        String attempt(Instant now) {
            Instant notBefore = mail.urgency().notBefore();
            return notBefore == null || mail.urgency().isReady(now)
                    ? String.valueOf(mail.attempt())
                    : mail.attempt() + " in " + Ages.span(Duration.between(now, notBefore));
        }

        private static long seconds(Instant from, Instant to) {
            return Math.max(0, Duration.between(from, to).toSeconds());
        }
    }

    private record Listing(InboxView view, List<Row> rows, Instant now) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            rows.forEach(row -> items.add(row.json(now)));
            List<Json> unreadable = new ArrayList<>();
            view.bad()
                    .forEach(file ->
                            unreadable.add(
                                    Json.obj()
                                            .put("path", file.location())
                                            .put("reason", file.reason())));
            return ListAnswer.whole(items)
                    .put("more", view.mail().size() > rows.size())
                    .put("inbox", view.inbox().name())
                    .put("address", view.inbox().address().toString())
                    .put("waiting", view.mail().size())
                    .put("active", view.active() == null ? Json.Null.NULL : Json.of(view.active()))
                    .put("bad", Json.arr(unreadable));
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    view.inbox().address()
                            + (view.transport() == null ? ": " : " at " + view.transport() + ": ")
                            + view.mail().size()
                            + " waiting"
                            + (view.active() == null ? "" : ", " + view.active() + " active"));
            Table table =
                    new Table("ID", "PRI", "TOPIC", "FROM", "AGE", "EXPIRES", "TRY", "SIGNED");
            for (Row row : rows) {
                Urgency urgency = row.mail().urgency();
                String nominal = row.mail().header().priority().name();
                String effective = "P" + urgency.effectiveClass(now);
                table.row(
                        Table.Cell.of(row.mail().header().id().shortForm()),
                        new Table.Cell(
                                nominal.equals(effective) ? nominal : nominal + "→" + effective,
                                nominal.equals("P0") ? Style.RED : Style.PLAIN),
                        Table.Cell.of(row.mail().header().topic()),
                        Table.Cell.of(row.mail().header().from().name()),
                        Table.Cell.of(Ages.span(Duration.between(urgency.orderTime(), now))),
                        Table.Cell.of(
                                urgency.isExpired(now)
                                        ? "expired"
                                        : Ages.relative(urgency.expiresAt(), now)),
                        Table.Cell.of(row.attempt(now)),
                        Table.Cell.of(signed(row.signature())));
            }
            if (!table.isEmpty()) {
                screen.table(table);
            }
            if (view.mail().size() > rows.size()) {
                screen.line(
                        "… and "
                                + (view.mail().size() - rows.size())
                                + " more; --limit shows them");
            }
            for (Waiting.Bad file : view.bad()) {
                screen.line(
                        "not mail: "
                                + SafeText.line(file.location())
                                + ": "
                                + SafeText.line(file.reason()));
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            rows.forEach(row -> screen.line(row.mail().header().id().text()));
        }

        private static String signed(String signature) {
            return switch (signature) {
                case "valid" -> "yes";
                case "unsigned" -> "no";
                case "unchecked" -> "?";
                default -> "BAD";
            };
        }
    }

    /// Who fills an inbox.
    private record BySender(Domain inbox, List<Waiting.Mail> mail, Instant now) implements Answer {

        private Map<String, List<Waiting.Mail>> senders() {
            Map<String, List<Waiting.Mail>> senders = new TreeMap<>();
            for (Waiting.Mail item : mail) {
                senders.computeIfAbsent(
                                item.header().from().name().toLowerCase(Locale.ROOT),
                                _ -> new ArrayList<>())
                        .add(item);
            }
            return senders;
        }

        private static Instant oldest(List<Waiting.Mail> mail) {
            Instant oldest = Instant.MAX;
            for (Waiting.Mail item : mail) {
                Instant since = item.urgency().orderTime();
                oldest = since.isBefore(oldest) ? since : oldest;
            }
            return oldest;
        }

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            senders()
                    .forEach((sender, sent) ->
                            items.add(
                                    Json.obj()
                                            .put("from", sender)
                                            .put("waiting", sent.size())
                                            .put(
                                                    "oldest_age_s",
                                                    Duration.between(oldest(sent), now)
                                                            .toSeconds())));
            return ListAnswer.whole(items).put("inbox", inbox.name());
        }

        @Override
        public void show(Screen screen) {
            screen.line(inbox.address() + ": " + mail.size() + " waiting");
            Table table = new Table("FROM", "WAITING", "OLDEST");
            senders()
                    .forEach((sender, sent) ->
                            table.row(
                                    sender,
                                    String.valueOf(sent.size()),
                                    Ages.relative(oldest(sent), now)));
            if (!table.isEmpty()) {
                screen.table(table);
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            senders().keySet().forEach(screen::line);
        }
    }
}
