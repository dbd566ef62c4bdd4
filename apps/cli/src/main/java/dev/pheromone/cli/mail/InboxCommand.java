package dev.pheromone.cli.mail;

import dev.pheromone.Inbox;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.Lanes;
import dev.pheromone.session.OpenHive;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
        Instant now = call.now();
        if (call.args().operand(0) == null && !hive.hasOwnInbox()) {
            // It is made by the first send or select; to look is not to make.
            Domain own = hive.ownAddress().domain();
            return new Listing(own, way(hive), List.of(), 0, 0, List.of(), now);
        }
        Inbox inbox = TypedHive.inbox(call, hive, 0);
        // Else mail whose holder is gone, or whose sender is heard again, would not be among what a
        // selection finds.
        hive.mail().reap(inbox.domain());
        List<Waiting.Mail> mail = new ArrayList<>();
        List<Waiting.Bad> bad = new ArrayList<>();
        Set<Lane> lanes = new HashSet<>();
        for (Waiting waiting : inbox.waiting()) {
            switch (waiting) {
                case Waiting.Mail item -> {
                    lanes.add(item.header().lane());
                    hive.mail().tellIfKept(item.urgency().expiresAt());
                    if (isWanted(item, call.args())) {
                        mail.add(item);
                    }
                }
                case Waiting.Bad item -> bad.add(item);
            }
        }
        Lanes.require(hive.config(), call.args().value("lane"), lanes.stream());
        if (call.args().has("by-sender")) {
            return new BySender(inbox.domain(), mail, now);
        }
        int limit = call.args().count("limit", 1, LIMIT_MAX);
        List<Row> rows = new ArrayList<>();
        for (Waiting.Mail item : mail.size() > limit ? mail.subList(0, limit) : mail) {
            hive.mail()
                    .signature(inbox.domain(), item)
                    .ifPresent(signature -> rows.add(new Row(item, signature)));
        }
        Integer active = hive.mail().active(inbox.domain());
        return new Listing(inbox.domain(), way(hive), rows, mail.size(), active, bad, now);
    }

    private static @Nullable String way(OpenHive hive) {
        return hive.mail().name().orElse(null);
    }

    private static boolean isWanted(Waiting.Mail mail, Args args) {
        return matches(args.value("from"), mail.header().from().name())
                && matches(args.value("lane"), mail.header().lane().name())
                && matches(args.value("priority"), mail.header().priority().name());
    }

    private static boolean matches(@Nullable String wanted, String found) {
        return wanted == null || wanted.equalsIgnoreCase(found);
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

    /// @param via on which other transport it is, where nobody knows what is being worked on
    private record Listing(
            Domain inbox,
            @Nullable String via,
            List<Row> rows,
            int waiting,
            @Nullable Integer active,
            List<Waiting.Bad> bad,
            Instant now)
            implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            rows.forEach(row -> items.add(row.json(now)));
            List<Json> unreadable = new ArrayList<>();
            bad.forEach(file ->
                    unreadable.add(
                            Json.obj().put("path", file.location()).put("reason", file.reason())));
            return ListAnswer.whole(items)
                    .put("more", waiting > rows.size())
                    .put("inbox", inbox.name())
                    .put("address", inbox.address().toString())
                    .put("waiting", waiting)
                    .put("active", active == null ? Json.Null.NULL : Json.of(active))
                    .put("bad", Json.arr(unreadable));
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    inbox.address()
                            + (via == null ? ": " : " at " + via + ": ")
                            + waiting
                            + " waiting"
                            + (active == null ? "" : ", " + active + " active"));
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
            if (waiting > rows.size()) {
                screen.line("… and " + (waiting - rows.size()) + " more; --limit shows them");
            }
            for (Waiting.Bad file : bad) {
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
