package dev.pheromone.session.question;

import dev.pheromone.file.log.LogTurn;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.question.QuestionEvents;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.rse.RseScope;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.Pause;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.EventWalk;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What the log says of questions: each step once, written by whoever finds that it is missing.
final class QuestionLog {

    /// Whoever else tells of a question is done in milliseconds; what is not told now, the next
    /// look tells.
    private static final Duration TURN_WAIT_MAX = Duration.ofSeconds(2);

    private static final Duration TURN_PAUSE = Duration.ofMillis(5);

    private static final Set<String> TYPES =
            Set.of("question_asked", "question_answered", "question_defaulted");

    private final Caller caller;
    private final OpenHive hive;

    QuestionLog(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// Tells that `view` was asked, and what it has come to. What can't be told now is left to the
    /// next who looks: mail tells it all.
    void tell(QuestionView view) {
        try {
            if (!missing(view).isEmpty()) {
                tellInTurn(view);
            }
        } catch (WithheldException e) {
            // The next look after the lock tells.
        } catch (IOException e) {
            caller.warn("event log: " + FileProblem.describe(e));
        }
    }

    private void tellInTurn(QuestionView view) throws IOException {
        LogTurn turn = LogTurn.onQuestions(hive.layout(), hive.guard());
        for (long waited = 0; waited < TURN_WAIT_MAX.toMillis(); waited += TURN_PAUSE.toMillis()) {
            Optional<Closeable> mine = turn.tryBegin();
            if (mine.isPresent()) {
                try (Closeable _ = mine.get()) {
                    // Somebody else may have told it just now.
                    hive.log().append(missing(view), Durability.PROVEN);
                }
                return;
            }
            Pause.of(TURN_PAUSE);
        }
    }

    private List<RseEvent> missing(QuestionView view) throws IOException {
        List<RseEvent> events = new ArrayList<>();
        events.add(QuestionEvents.asked(view.envelope(), view.question(), caller.now()));
        QuestionEvents.of(view.envelope(), view.question(), view.state(), caller.now())
                .ifPresent(events::add);
        String id = view.question().id().text();
        Set<String> told = new HashSet<>();
        new EventWalk(hive)
                .forEach(
                        RseScope.ALL.about(Set.of(id)).ofTypes(TYPES),
                        event ->
                                TYPES.contains(event.type())
                                        && event.about().filter(id::equals).isPresent(),
                        event -> told.add(event.type()));
        events.removeIf(event -> told.contains(event.type()));
        String via = hive.mail().name().orElse(null);
        if (via != null) {
            events.replaceAll(event ->
                    RseEvent.of(
                            event.ts(),
                            event.type(),
                            event.lane(),
                            event.actor(),
                            event.data().put("via", via)));
        }
        return events;
    }
}
