package dev.pheromone.session.question;

import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseScope;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.StoredMail;
import dev.pheromone.session.look.EventWalk;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The questions that are open and concern one actor.
///
/// @param toAnswer those that the actor was asked
/// @param asked those that the actor asked
public record OpenQuestions(List<QuestionView> toAnswer, List<QuestionView> asked) {

    private static final Set<String> TYPES =
            Set.of("question_asked", "question_answered", "question_defaulted");

    public OpenQuestions {
        toAnswer = List.copyOf(toAnswer);
        asked = List.copyOf(asked);
    }

    /// Those of the caller. Of waiting mail only headers are read, as far as they are kept, and of
    /// the log only what it says of questions; nothing is opened but questions.
    public static OpenQuestions of(Caller caller, OpenHive hive) throws IOException {
        return new OpenQuestions(toAnswer(caller, hive), asked(caller, hive));
    }

    /// Those alone that the caller was asked.
    public static List<QuestionView> toAnswer(Caller caller, OpenHive hive) throws IOException {
        List<QuestionView> open = new ArrayList<>();
        if (!hive.hasOwnInbox()) {
            return open;
        }
        Domain own = hive.ownAddress().domain();
        Set<EnvelopeId> met = new LinkedHashSet<>();
        try {
            // A question that was taken is on somebody's desk, and still open.
            for (StoredMail mail : hive.mail().open(own, (header, _) -> header.question())) {
                if (met.add(mail.copy().envelope().id())) {
                    addIfOpen(hive, mail.copy().envelope(), caller.now(), open);
                }
            }
        } catch (NoSuchInboxException e) {
            // It was taken away just now.
        }
        open.removeIf(view ->
                view.question().of().stream().noneMatch(address -> address.domain().equals(own)));
        return open;
    }

    private static List<QuestionView> asked(Caller caller, OpenHive hive) throws IOException {
        Instant now = caller.now();
        Actor self = caller.actor();
        Optional<String> via = hive.mail().name();
        Map<String, RseEvent> open = new LinkedHashMap<>();
        List<String> ended = new ArrayList<>();
        new EventWalk(hive)
                .forEach(
                        RseScope.ALL.ofTypes(TYPES).since(now.minus(Ttl.MAX)),
                        event ->
                                TYPES.contains(event.type())
                                        && event.data().optionalText("via").equals(via),
                        event -> {
                            String id = event.about().orElse("");
                            if (!(event instanceof RseEvent.QuestionAsked)) {
                                ended.add(id);
                            } else if (event.actor().equals(self.name()) && isAhead(event, now)) {
                                open.put(id, event);
                            }
                        });
        ended.forEach(open::remove);
        List<QuestionView> views = new ArrayList<>();
        for (Map.Entry<String, RseEvent> question : open.entrySet()) {
            Envelope envelope = opened(hive, question.getKey(), question.getValue());
            if (envelope != null) {
                addIfOpen(hive, envelope, now, views);
            }
        }
        return views;
    }

    /// The mail of a question that was asked; null if nothing is known of it any more.
    private static @Nullable Envelope opened(OpenHive hive, String id, RseEvent asked)
            throws IOException {
        if (hive.mail().name().isEmpty() && EnvelopeId.isId(id)) {
            // Where it went: to look everywhere would be to look at all mail there ever was.
            for (Domain domain : askedAt(hive, asked)) {
                Optional<Transport.Found> found =
                        hive.transport().find(EnvelopeId.parse(id), domain);
                if (found.isPresent()) {
                    return found.get().envelope();
                }
            }
        }
        try {
            return hive.mail().opened(id).envelope();
        } catch (ProblemException e) {
            // It was never stored here, or its file can't be read.
            return null;
        }
    }

    /// The inboxes of those who were asked, as far as the event names them.
    private static List<Domain> askedAt(OpenHive hive, RseEvent asked) {
        List<Domain> domains = new ArrayList<>();
        if (asked.data().get("of").orElse(null) instanceof Json.Arr(var items)) {
            for (Json item : items) {
                if (item instanceof Json.Str(var text)) {
                    try {
                        Address address = Address.parse(text);
                        domains.addAll(
                                address instanceof Address.OfLane(var lane)
                                        ? hive.config().domainsOf(lane)
                                        : List.of(address.domain()));
                    } catch (IllegalArgumentException e) {
                        // Another writer's word: the question is looked for everywhere.
                    }
                }
            }
        }
        return domains;
    }

    private static boolean isAhead(RseEvent event, Instant now) {
        Optional<String> end = event.data().optionalText("ends_at");
        try {
            return end.isEmpty() || now.isBefore(Instant.parse(end.get()));
        } catch (DateTimeParseException e) {
            return true;
        }
    }

    private static void addIfOpen(
            OpenHive hive, Envelope envelope, Instant now, List<QuestionView> open)
            throws IOException {
        QuestionView.of(hive, envelope, now).filter(QuestionView::isOpen).ifPresent(open::add);
    }
}
