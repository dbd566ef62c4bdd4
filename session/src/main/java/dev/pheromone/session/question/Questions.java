package dev.pheromone.session.question;

import dev.pheromone.AwayException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.question.QuestionState;
import dev.pheromone.question.SetAside;
import dev.pheromone.rse.RseScope;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.look.EventWalk;
import dev.pheromone.session.mail.Sent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The questions of a hive, as one caller asks, answers and looks at them.
public final class Questions {

    private static final String ASKED = "question_asked";

    private final Caller caller;
    private final OpenHive hive;

    public Questions(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// What came of an answer.
    ///
    /// @param view what its question has come to
    /// @param objection why the answer does not count; empty if it does
    public record Fate(QuestionView view, Optional<String> objection) {}

    /// What the question that `said` means has come to.
    public QuestionView named(String said) throws IOException {
        Envelope envelope;
        try {
            envelope = hive.mail().opened(said).envelope();
        } catch (ProblemException e) {
            throw e.code() == Code.NO_SUCH_ID ? goneAway(said).orElse(e) : e;
        }
        return told(QuestionView.of(hive, envelope, caller.now()))
                .orElseThrow(() ->
                        new ProblemException(
                                        Code.USAGE,
                                        envelope.id().shortForm()
                                                + " asks nothing, expected a question")
                                .hint("what it says:")
                                .fix("rsm read " + envelope.id().shortForm()));
    }

    /// Says where a question is that was asked by another transport, as the log of this hive knows;
    /// empty if it was not.
    private Optional<ProblemException> goneAway(String said) throws IOException {
        String end = said.toUpperCase(Locale.ROOT);
        List<String> by = new ArrayList<>();
        new EventWalk(hive)
                .forEach(
                        RseScope.ALL.ofTypes(Set.of(ASKED)),
                        event ->
                                event.type().equals(ASKED)
                                        && event.about().filter(id -> id.endsWith(end)).isPresent(),
                        event -> event.data().optionalText("via").ifPresent(by::add));
        return by.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new ProblemException(
                                        Code.NO_SUCH_ID,
                                        said
                                                + " was asked by transport "
                                                + by.getLast()
                                                + ", and this hive has no copy of it")
                                .hint(
                                        "its answer comes as mail, and a wait for the answer begun"
                                                + " with rsm ask --wait knows what became of it:")
                                .fix("rsm inbox"));
    }

    /// What `envelope` asks, and what that has come to; empty if it asks nothing, or if its answers
    /// are not to be seen now, under a lock or at a transport that is away.
    public Optional<QuestionView> of(Envelope envelope) throws IOException {
        try {
            return told(QuestionView.of(hive, envelope, caller.now()));
        } catch (WithheldException | AwayException e) {
            return Optional.empty();
        }
    }

    private Optional<QuestionView> told(Optional<QuestionView> view) {
        view.ifPresent(found -> new QuestionLog(caller, hive).tell(found));
        return view;
    }

    /// Tells the log that the caller asked. What waits in the embargo is not asked yet; whoever
    /// looks at it later tells.
    public void asked(Sent sent) {
        for (Receipt.Copy copy : sent.receipt().copies()) {
            boolean isAsked =
                    switch (copy.result()) {
                        case SendResult.Delivered _,
                                SendResult.Unconfirmed _,
                                SendResult.Duplicate _,
                                SendResult.Parked _,
                                SendResult.Spooled _,
                                SendResult.Unanswered _ ->
                                true;
                        default -> false;
                    };
            if (isAsked) {
                QuestionView.unanswered(sent.envelope())
                        .ifPresent(new QuestionLog(caller, hive)::tell);
                return;
            }
        }
    }

    /// What came of an answer that the caller sent. One that counts also finishes the question in
    /// the caller's own inbox, if it waits there. Empty if `answer` is none, or if where it went is
    /// not to be seen from here.
    public Optional<Fate> answered(OpenedCopy request, Sent answer) throws IOException {
        if (answer.envelope().answer().isEmpty() || !(answer instanceof Sent.Accepted)) {
            return Optional.empty();
        }
        QuestionView view = of(request.envelope()).orElse(null);
        if (view == null) {
            return Optional.empty();
        }
        EnvelopeId id = answer.envelope().id();
        boolean counts =
                view.state() instanceof QuestionState.Answered answered && answered.id().equals(id);
        if (counts) {
            if (request.inbox().equals(hive.ownAddress().domain())) {
                WaitingCopy.finish(caller, hive, request, "answered");
            }
            return Optional.of(new Fate(view, Optional.empty()));
        }
        String objection = objection(view, id);
        return objection == null
                ? Optional.empty()
                : Optional.of(new Fate(view, Optional.of(objection)));
    }

    private static @Nullable String objection(QuestionView view, EnvelopeId answer) {
        for (SetAside aside : view.setAside()) {
            if (aside.answer().id().equals(answer)) {
                return aside.reason();
            }
        }
        return null;
    }
}
