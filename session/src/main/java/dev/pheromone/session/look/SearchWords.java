package dev.pheromone.session.look;

import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/// What is looked for: a text, and words such as `from:ci` that say of which mail and events it is.
final class SearchWords {

    private static final String UNSIGNED = "unsigned";
    private static final int DATE_LENGTH = 10;

    /// Which mail and events a word lets through.
    ///
    /// @param isOfEvents whether there are any such events
    private record Kind(boolean isOfEvents, Predicate<Mail> mail, Predicate<RseEvent> event) {}

    private record Mail(Envelope envelope, Domain inbox, State state) {}

    private final String text;
    private final List<Kind> kinds = new ArrayList<>();

    /// Takes apart what was typed.
    ///
    /// @param now from which an age such as `before:7d` counts back
    SearchWords(String typed, Instant now) {
        List<String> rest = new ArrayList<>();
        for (String word : typed.strip().split("\\s+", -1)) {
            int colon = word.indexOf(':');
            String value = word.substring(colon + 1);
            Optional<Kind> kind =
                    colon < 0 || value.isEmpty()
                            ? Optional.empty()
                            : kind(word.substring(0, colon).toLowerCase(Locale.ROOT), value, now);
            if (kind.isPresent()) {
                kinds.add(kind.get());
            } else {
                rest.add(word);
            }
        }
        // As it was typed, where nothing else was.
        text = (kinds.isEmpty() ? typed : String.join(" ", rest)).toLowerCase(Locale.ROOT);
    }

    private static Optional<Kind> kind(String name, String value, Instant now) {
        return Optional.ofNullable(
                switch (name) {
                    case "from" ->
                            new Kind(
                                    true,
                                    mail -> mail.envelope().from().name().equalsIgnoreCase(value),
                                    event -> event.actor().equalsIgnoreCase(value));
                    case "to" -> ofMail(mail -> isTo(mail, value));
                    case "state" -> {
                        State state = state(value);
                        yield ofMail(mail -> mail.state() == state);
                    }
                    case "lane" ->
                            new Kind(
                                    true,
                                    mail -> mail.envelope().lane().name().equalsIgnoreCase(value),
                                    event -> event.lane().name().equalsIgnoreCase(value));
                    case "id" ->
                            new Kind(
                                    true,
                                    mail -> endsWith(mail.envelope().id().text(), value),
                                    event ->
                                            event.about()
                                                    .filter(id -> endsWith(id, value))
                                                    .isPresent());
                    case "is" -> {
                        if (!value.equalsIgnoreCase(UNSIGNED)) {
                            throw wrong("is:" + value, "is:" + UNSIGNED);
                        }
                        yield ofMail(mail -> mail.envelope().signature().isEmpty());
                    }
                    case "before" -> {
                        Instant end = moment(value, now);
                        yield new Kind(
                                true,
                                mail -> mail.envelope().ts().isBefore(end),
                                event -> event.ts().isBefore(end));
                    }
                    default -> null;
                });
    }

    private static Kind ofMail(Predicate<Mail> mail) {
        return new Kind(false, mail, _ -> false);
    }

    private static boolean endsWith(String id, String end) {
        return id.toUpperCase(Locale.ROOT).endsWith(end.toUpperCase(Locale.ROOT));
    }

    private static boolean isTo(Mail mail, String value) {
        for (Address address : mail.envelope().to()) {
            if (address.toString().equalsIgnoreCase(value)
                    || address.domain().name().equalsIgnoreCase(value)) {
                return true;
            }
        }
        return mail.inbox().name().equalsIgnoreCase(value);
    }

    private static State state(String value) {
        try {
            return State.parse(value.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private static Instant moment(String value, Instant now) {
        try {
            if (value.indexOf('-') < 0) {
                return now.minus(Ttl.parseDuration(value));
            }
            return value.length() == DATE_LENGTH
                    ? LocalDate.parse(value).atStartOfDay(ZoneOffset.UTC).toInstant()
                    : Instant.parse(value);
        } catch (DateTimeException | IllegalArgumentException e) {
            throw wrong(
                    "before:" + value,
                    "an age such as before:7d, a date such as before:2025-10-15, or a time such as"
                            + " before:2025-10-15T17:10:00Z");
        }
    }

    private static ProblemException wrong(String found, String expected) {
        return new ProblemException(
                Code.USAGE, "search: found \"" + found + "\", expected " + expected);
    }

    /// The text that is looked for, in lower case; empty if any will do.
    String text() {
        return text;
    }

    boolean want(Envelope envelope, Domain inbox, State state) {
        Mail mail = new Mail(envelope, inbox, state);
        return kinds.stream().allMatch(kind -> kind.mail().test(mail));
    }

    boolean want(RseEvent event) {
        return kinds.stream().allMatch(kind -> kind.event().test(event));
    }

    /// Whether some words say something that holds of mail alone.
    boolean areOfMail() {
        return !kinds.stream().allMatch(Kind::isOfEvents);
    }

    /// Whether nothing but a text is looked for.
    boolean arePlain() {
        return kinds.isEmpty();
    }
}
