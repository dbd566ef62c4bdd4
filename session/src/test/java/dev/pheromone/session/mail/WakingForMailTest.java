package dev.pheromone.session.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.Receipt;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Reach;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.session.ServedSession;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.NamedCaller;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.seat.Bell;
import dev.pheromone.session.seat.Moment;
import dev.pheromone.session.seat.Ringing;
import dev.pheromone.session.seat.Visit;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/// Whom mail wakes, by whatever way it comes.
class WakingForMailTest {

    private static final Actor CODEX = new Actor("codex-19be");
    private static final Address TO_CODEX = Address.parse("worker://codex-19be");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Address YOU = Address.parse("user://you");

    @TempDir Path folder;

    private final FakeClock clock = new FakeClock(Clock.systemUTC().instant());
    private final NamedCaller you = new NamedCaller("you", Path.of("home"), clock);
    private final NamedCaller codex = new NamedCaller(CODEX.name(), Path.of("home"), clock);

    /// A hive at which a session of Codex sits and does nothing.
    @BeforeEach
    void makeHive() throws Exception {
        var _ = HiveSetup.init(folder, YOU, OnUnfitVolume.ACCEPT);
        try (OpenHive hive = open(codex)) {
            hive.makeOwnInbox();
            Visit visit =
                    new Visit(
                            CODEX,
                            "codex",
                            "0199a213",
                            "",
                            "",
                            false,
                            false,
                            false,
                            List.of(),
                            0,
                            (_, _) -> new byte[0]);
            Ringing _ =
                    new Bell(hive.layout(), hive.guard(), clock.instant()).at(Moment.START, visit);
        }
    }

    private OpenHive open(NamedCaller caller) throws IOException {
        return OpenHive.of(caller, new HiveLayout(folder));
    }

    private static Draft draft(String text) {
        return new Draft(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void mailWakesTheIdleSessionThatItIsFor() throws Exception {
        try (OpenHive hive = open(you)) {
            Session session = new Session(you, hive);
            var _ = session.mail(List.of(YOU), draft("a note to myself"));
            assertThat(you.woken).isEmpty();
            var _ = session.mail(List.of(TO_CODEX), draft("please look"));
            assertThat(you.woken).containsExactly(CODEX);
        }
    }

    @Test
    void anAnswerWakesWhoAsked() throws Exception {
        String id;
        try (OpenHive hive = open(codex)) {
            id =
                    new Session(codex, hive)
                            .mail(List.of(YOU), draft("may I merge?"))
                            .envelope()
                            .id()
                            .text();
        }
        try (OpenHive hive = open(you)) {
            var _ = new Session(you, hive).reply(id, draft("yes"));
        }
        assertThat(you.woken).containsExactly(CODEX);
        assertThat(codex.woken).isEmpty();
    }

    private Envelope envelope(OpenHive hive, String text) throws IOException {
        return new Composer(you, hive).compose(List.of(TO_CODEX), draft(text));
    }

    @Test
    void mailThatANetworkBringsWakesToo() throws Exception {
        try (OpenHive hive = open(you)) {
            Receipt receipt =
                    ServedSession.of(you, hive, Reach.TEAM).send(envelope(hive, "hello"), null);
            assertThat(receipt.copies()).allMatch(Receipt.Copy::isTaken);
        }
        assertThat(you.woken).containsExactly(CODEX);
    }

    @Test
    void whatABridgeOrAWorkerDeliversWakesToo() throws Exception {
        try (OpenHive hive = open(you)) {
            // A bridge has the files, and a worker's answer goes by the caller's transport.
            var _ = hive.transport().send(envelope(hive, "bridged"), TO_CODEX.domain());
            assertThat(you.woken).containsExactly(CODEX);
        }
        try (OpenHive hive = open(codex)) {
            var _ = hive.mail().send(envelope(hive, "an answer"));
            assertThat(codex.woken).containsExactly(CODEX);
        }
    }

    @Test
    void ofManyEnvelopesAtOnceAnActorHearsTwice() throws Exception {
        try (OpenHive hive = open(you)) {
            for (int i = 0; i < 30; i++) {
                var _ = hive.transport().send(envelope(hive, "mail " + i));
            }
            assertThat(you.woken).hasSize(1);
            // What came after the call may not be among what it told.
            await().atMost(PATIENCE).until(() -> you.woken.size() == 2);
        }
    }

    @Test
    void mailThatIsThereAlreadyWakesNobody() throws Exception {
        NamedCaller again = new NamedCaller("you", Path.of("home"), clock);
        try (OpenHive hive = open(you);
                OpenHive second = open(again)) {
            Envelope envelope = envelope(hive, "once");
            var _ = hive.transport().send(envelope);
            var _ = second.transport().send(envelope);
        }
        assertThat(again.woken).isEmpty();
    }
}
