package dev.pheromone.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Outcome;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.Locksmith;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseScope;
import dev.pheromone.session.caller.NamedCaller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.Ack;
import dev.pheromone.session.hive.GuardedTransport;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.OwnAddress;
import dev.pheromone.session.hive.StoredMail;
import dev.pheromone.session.hive.Take;
import dev.pheromone.session.look.EventWalk;
import dev.pheromone.session.mail.Composer;
import dev.pheromone.session.mail.Draft;
import dev.pheromone.session.mail.Reply;
import dev.pheromone.session.mail.Sending;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.session.question.OpenQuestions;
import dev.pheromone.session.question.QuestionView;
import dev.pheromone.testkit.FakeClock;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

class SessionTest {

    private static final Address CODE = Address.parse("queen://code");

    @TempDir Path folder;

    private final FakeClock clock = new FakeClock(Clock.systemUTC().instant());
    private HiveLayout layout;

    @BeforeEach
    void makeHive() throws Exception {
        layout = HiveSetup.init(folder, Address.parse("user://you"), OnUnfitVolume.ACCEPT).layout();
    }

    private interface Deed<T> {
        T in(Session session, OpenHive hive) throws IOException;
    }

    /// What `deed` comes to, done by `name` in a session of its own.
    private <T> T as(String name, Deed<T> deed) throws IOException {
        NamedCaller caller = new NamedCaller(name, folder.resolve("home"), clock);
        try (OpenHive hive = OpenHive.of(caller, layout)) {
            return deed.in(new Session(caller, hive), hive);
        }
    }

    private EnvelopeId send(String topic) throws IOException {
        Envelope envelope =
                Envelope.draft(new Actor("you"), List.of(CODE), Lane.CODE, topic)
                        .ts(clock.instant())
                        .body((topic + "\n").getBytes(StandardCharsets.UTF_8))
                        .seal();
        return as(
                "you",
                (_, hive) -> {
                    try {
                        return hive.mail().send(envelope).id();
                    } catch (NoSuchInboxException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    @Nested
    class Questions {

        private Sent ask(String name, String to, String text) throws IOException {
            return as(
                    name,
                    (session, hive) -> {
                        NamedCaller caller = new NamedCaller(name, folder.resolve("home"), clock);
                        Ask ask = new Ask(List.of("yes", "no"), false, null, null, List.of());
                        Draft draft = new Draft(text.getBytes(StandardCharsets.UTF_8)).ask(ask);
                        return session.send(
                                new Composer(caller, hive)
                                        .compose(List.of(Address.parse(to)), draft),
                                Sending.ONCE);
                    });
        }

        private List<String> topics(List<QuestionView> views) {
            return views.stream().map(view -> view.envelope().topic()).toList();
        }

        private OpenQuestions questions(String name) throws IOException {
            return as(name, (session, _) -> session.questions());
        }

        private void answer(String name, EnvelopeId question, String text) throws IOException {
            as(
                    name,
                    (session, hive) -> {
                        NamedCaller caller = new NamedCaller(name, folder.resolve("home"), clock);
                        OpenedCopy request = hive.mail().opened(question.text());
                        Draft draft =
                                new Draft(text.getBytes(StandardCharsets.UTF_8))
                                        .answering(Draft.Answering.YES);
                        Envelope reply =
                                new Composer(caller, hive)
                                        .reply(
                                                request.envelope(),
                                                OwnAddress.forAnswerTo(request.envelope(), hive),
                                                draft,
                                                null);
                        return session.answered(request, session.send(reply, Sending.ONCE));
                    });
        }

        @Test
        void thoseThatAreOpenAreListedForWhoeverIsAskedAndForWhoeverAsked() throws Exception {
            ask("claude", "user://you", "may I merge?");
            EnvelopeId second = ask("claude", "user://you", "may I push?").envelope().id();
            ask("codex", "queen://code", "which branch?");
            as(
                    "codex",
                    (session, hive) -> {
                        NamedCaller caller =
                                new NamedCaller("codex", folder.resolve("home"), clock);
                        return session.send(
                                new Composer(caller, hive)
                                        .compose(
                                                List.of(Address.parse("user://you")),
                                                new Draft(
                                                        "no question"
                                                                .getBytes(StandardCharsets.UTF_8))),
                                Sending.ONCE);
                    });
            assertThat(topics(questions("you").toAnswer()))
                    .containsExactlyInAnyOrder("may I merge?", "may I push?");
            assertThat(questions("you").asked()).isEmpty();
            assertThat(topics(questions("claude").asked()))
                    .containsExactlyInAnyOrder("may I merge?", "may I push?");
            assertThat(questions("codex").toAnswer()).isEmpty();

            answer("you", second, "no");
            assertThat(topics(questions("you").toAnswer())).containsExactly("may I merge?");
            assertThat(topics(questions("claude").asked())).containsExactly("may I merge?");
        }

        @Test
        void thatWasTakenIsStillToBeAnswered() throws Exception {
            ask("claude", "user://you", "may I merge?");
            as("you", (session, _) -> session.select(null, null, Duration.ZERO));
            assertThat(topics(questions("you").toAnswer())).containsExactly("may I merge?");
        }

        private List<String> questionsIn(OpenHive hive) throws IOException {
            List<String> topics = new ArrayList<>();
            try {
                for (StoredMail mail :
                        hive.mail()
                                .open(
                                        Address.parse("user://you").domain(),
                                        (header, _) -> header.question())) {
                    topics.add(mail.copy().envelope().topic());
                }
            } catch (NoSuchInboxException e) {
                throw new AssertionError(e);
            }
            return topics;
        }

        @Test
        void toListThemOpensNoOtherMail() throws Exception {
            ask("claude", "user://you", "may I merge?");
            Envelope task =
                    Envelope.draft(
                                    new Actor("ci"),
                                    List.of(Address.parse("user://you")),
                                    Lane.CODE,
                                    "a task")
                            .ts(clock.instant())
                            .seal();
            as("ci", (session, _) -> session.send(task, Sending.ONCE));
            List<String> opened = as("you", (_, hive) -> questionsIn(hive));
            assertThat(opened).containsExactly("may I merge?");
        }

        @Test
        void aReplyThatIsNoAnswerIsRefusedBeforeItIsSent() throws Exception {
            EnvelopeId question = ask("claude", "user://you", "may I?").envelope().id();
            assertThatThrownBy(() -> answer("you", question, "maybe"))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("expected \"yes\" or \"no\"");
            assertThat(topics(questions("you").toAnswer())).containsExactly("may I?");
        }
    }

    private Take select(String name) throws IOException {
        return as(name, (session, _) -> session.select(CODE, null, Duration.ZERO));
    }

    private Take.Look preview(String name) throws IOException {
        return as(name, (session, _) -> session.preview(CODE));
    }

    private Ack settle(String name, String said, Outcome outcome, @Nullable Reply reply)
            throws IOException {
        return as(name, (session, _) -> session.settle(said, outcome, reply));
    }

    private Ack renew(String name, String said, @Nullable Reply reply) throws IOException {
        return as(name, (session, _) -> session.renew(said, "half way", reply));
    }

    private Take.Taken taken(String name) throws IOException {
        Take take = select(name);
        assertThat(take).isInstanceOf(Take.Taken.class);
        return (Take.Taken) take;
    }

    private List<RseEvent.WorkerAck> acks() throws IOException {
        List<RseEvent.WorkerAck> acks = new ArrayList<>();
        return as(
                "you",
                (_, hive) -> {
                    new EventWalk(hive)
                            .forEach(
                                    RseScope.ALL,
                                    _ -> true,
                                    event -> {
                                        if (event instanceof RseEvent.WorkerAck ack) {
                                            acks.add(ack);
                                        }
                                    });
                    return acks;
                });
    }

    @Test
    void whatIsTakenIsDoneUnderItsShortName() throws IOException {
        EnvelopeId id = send("review");
        Take.Taken taken = taken("claude");
        assertThat(taken.claim().envelope().id()).isEqualTo(id);
        assertThat(taken.name()).isEqualTo(id.shortForm());
        Ack ack = settle("claude", taken.name(), new Outcome.Done("merged"), null);
        assertThat(ack).isEqualTo(new Ack.Settled(id, State.DONE));
    }

    @Test
    void thatWorkGoesOnRenewsTheLeaseAndLeavesItsNoteInTheLog() throws IOException {
        EnvelopeId id = send("review");
        Take.Taken taken = taken("claude");
        clock.advance(Duration.ofMinutes(5));
        Ack ack = renew("claude", id.shortForm(), null);
        assertThat(ack).isInstanceOf(Ack.Renewed.class);
        assertThat(((Ack.Renewed) ack).leaseEndsAt()).isAfter(taken.claim().leaseEndsAt());
        assertThat(acks())
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.status()).isEqualTo(RseEvent.WorkerAck.Status.ACCEPTED);
                    assertThat(event.data().optionalText("notes")).contains("half way");
                });
    }

    @Test
    void nobodyFinishesWhatSomebodyElseHolds() throws IOException {
        EnvelopeId id = send("review");
        Take.Taken _ = taken("claude");
        assertThatThrownBy(() -> settle("codex", id.shortForm(), new Outcome.Done(""), null))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(ProblemException.Code.CLAIM_LOST);
                            assertThat(e)
                                    .hasMessage(
                                            "codex holds no claim of "
                                                    + id.shortForm()
                                                    + ": claude has it");
                        });
    }

    @Test
    void aClaimWhoseLeaseEndedIsLost() throws IOException {
        send("review");
        Take.Taken first = taken("claude");
        clock.advance(Duration.ofHours(2));
        // Taken back with a pause first.
        assertThat(select("codex")).isInstanceOf(Take.Nothing.class);
        Ack ack = settle("claude", first.claim().token(), new Outcome.Done("late"), null);
        assertThat(ack).isInstanceOf(Ack.Lost.class);
    }

    @Test
    void whatIsGivenBackCanBeTakenAtOnce() throws IOException {
        EnvelopeId id = send("review");
        Take.Taken first = taken("claude");
        Ack ack = settle("claude", first.name(), new Outcome.Released("a human"), null);
        assertThat(ack).isEqualTo(new Ack.Settled(id, State.WAITING));
        assertThat(taken("codex").claim().envelope().id()).isEqualTo(id);
    }

    @Test
    void whereNothingIsReadyItSaysWhatIsNot() throws IOException {
        EnvelopeId id = send("review");
        assertThat(preview("claude")).isInstanceOf(Take.Next.class);
        Take.Taken _ = taken("claude");
        assertThat(select("codex")).isEqualTo(new Take.Nothing(CODE, 0, 1));
        assertThat(preview("codex")).isEqualTo(new Take.Nothing(CODE, 0, 1));
        assertThatThrownBy(
                        () -> as("codex", (session, _) -> session.take(id.shortForm(), CODE, null)))
                .hasMessage(id.shortForm() + " can't be taken at queen://code: claude has it");
    }

    @Test
    void whatIsReadIsCheckedAndTheLogKnows() throws IOException {
        EnvelopeId id = send("review");
        OpenedCopy letter = as("claude", (session, _) -> session.read(id.shortForm(), "idle"));
        assertThat(letter.envelope().id()).isEqualTo(id);
        assertThat(letter.state()).isEqualTo(State.WAITING);
        GuardedTransport.Raw raw = as("claude", (session, _) -> session.raw(id.shortForm(), null));
        assertThat(raw.bytes()).isEqualTo(letter.envelope().bytes());
        List<RseEvent> sensed = new ArrayList<>();
        List<RseEvent> _ =
                as(
                        "you",
                        (_, hive) -> {
                            new EventWalk(hive)
                                    .forEach(
                                            RseScope.ALL,
                                            event -> event.type().equals("pheromone_sense"),
                                            sensed::add);
                            return sensed;
                        });
        assertThat(sensed).singleElement().extracting(RseEvent::actor).isEqualTo("claude");
    }

    /// A reply that can be written or not, and remembers what was sent.
    private static final class RememberedReply implements Reply {
        private final @Nullable IOException trouble;
        private final List<EnvelopeId> ids = new ArrayList<>();

        RememberedReply(@Nullable IOException trouble) {
            this.trouble = trouble;
        }

        @Override
        public Draft draft() throws IOException {
            if (trouble != null) {
                throw trouble;
            }
            return new Draft("looks good\n".getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void sent(Sent sent) {
            assertThat(sent).isInstanceOf(Sent.Accepted.class);
            ids.add(sent.envelope().id());
        }
    }

    @Nested
    class WithAReply {

        @Test
        void theLastOneHasAnIdOfTheWorkAndOthersHaveTheirOwn() throws IOException {
            EnvelopeId id = send("review");
            Take.Taken _ = taken("claude");
            RememberedReply reply = new RememberedReply(null);
            Ack _ = renew("claude", id.shortForm(), reply);
            Ack _ = settle("claude", id.shortForm(), new Outcome.Done(""), reply);
            assertThat(reply.ids)
                    .hasSize(2)
                    .doesNotHaveDuplicates()
                    .endsWith(EnvelopeId.ofReply(id, CODE.domain()));
        }

        @Test
        void whatCouldNotBeAnsweredIsNotDone() throws IOException {
            EnvelopeId id = send("review");
            Take.Taken _ = taken("claude");
            assertThatThrownBy(() ->
                            settle(
                                    "claude",
                                    id.shortForm(),
                                    new Outcome.Done(""),
                                    new RememberedReply(new IOException("full"))))
                    .hasMessage("full");
            assertThat(acks()).isEmpty();
        }
    }

    @Nested
    class UnderALockOfTheHive {

        private void lock() throws Exception {
            NamedCaller you = new NamedCaller("you", folder.resolve("home"), clock);
            Locksmith smith = new Locksmith(layout, OpenHive.guard(you, layout));
            assertThat(smith.lockHive("release", "you").isNew()).isTrue();
        }

        @Test
        void nothingIsTaken() throws Exception {
            send("review");
            lock();
            assertThatThrownBy(() -> select("claude")).isInstanceOf(WithheldException.class);
        }

        @Test
        void anOutcomeIsKeptUnderItsWholeNameAlone() throws Exception {
            send("review");
            Take.Taken taken = taken("claude");
            lock();
            Ack brief = settle("claude", taken.name(), new Outcome.Done(""), null);
            assertThat(brief)
                    .isInstanceOfSatisfying(
                            Ack.Hidden.class,
                            hidden -> assertThat(hidden.fate()).isEqualTo(new Ack.Fate.NotKept()));
            Ack whole = settle("claude", taken.claim().token(), new Outcome.Done(""), null);
            assertThat(whole)
                    .isInstanceOfSatisfying(
                            Ack.Hidden.class,
                            hidden -> assertThat(hidden.fate()).isInstanceOf(Ack.Fate.Kept.class));
        }

        @Test
        void thereIsNothingToRenew() throws Exception {
            send("review");
            Take.Taken taken = taken("claude");
            lock();
            assertThat(renew("claude", taken.name(), null))
                    .isInstanceOfSatisfying(
                            Ack.Hidden.class,
                            hidden ->
                                    assertThat(hidden.fate()).isEqualTo(new Ack.Fate.NotNeeded()));
        }
    }
}
