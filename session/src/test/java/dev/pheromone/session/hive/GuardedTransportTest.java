package dev.pheromone.session.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.lock.Locksmith;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.NamedCaller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.mail.Sending;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.testkit.FakeClock;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/// What is the same by whatever transport mail goes. Nobody listens at the ports of these.
class GuardedTransportTest {

    private static final Address CODE = Address.parse("queen://code");
    private static final Sending MAKING = new Sending(MissingInbox.IS_MADE, Duration.ZERO);

    @TempDir Path folder;

    private final FakeClock clock = new FakeClock(Clock.systemUTC().instant());
    private HiveLayout layout;
    private NamedCaller caller;

    @BeforeEach
    void makeHive() throws Exception {
        layout = HiveSetup.init(folder, Address.parse("user://you"), OnUnfitVolume.ACCEPT).layout();
        caller = new NamedCaller("you", folder.resolve("home"), clock);
        Files.writeString(
                folder.resolve(".deia/hive.yaml"),
                """
                format: 1
                transports:
                  team: {url: "http://127.0.0.1:1"}
                  broker: {url: "mqtt://127.0.0.1:1"}
                  cluster: {url: "nats://127.0.0.1:1,[::1]:1"}
                  mixed: {url: "nats://127.0.0.1:1,hive.example:1"}
                  zoned: {url: "http://[::1%1]:1"}
                  declared: {url: "http://hive.example", reach: team}
                """);
    }

    private OpenHive open(@Nullable String via, OpenHive.Use use) throws IOException {
        return OpenHive.of(caller, layout, via, use);
    }

    private Envelope mail(Address to, Consent consent) {
        return Envelope.draft(new Actor("you"), List.of(to), Lane.CODE, "review")
                .ts(clock.instant())
                .consent(consent)
                .body("please\n".getBytes(StandardCharsets.UTF_8))
                .seal();
    }

    private Sent send(@Nullable String via, Envelope envelope, Sending how) throws IOException {
        try (OpenHive hive = open(via, OpenHive.Use.SENDING)) {
            return new Session(caller, hive).send(envelope, how);
        }
    }

    private static SendResult result(Sent sent) {
        return sent.receipt().copies().getFirst().result();
    }

    @Test
    void theHivesOwnInboxesHaveNoName() throws IOException {
        try (OpenHive hive = open(null, OpenHive.Use.INBOXES)) {
            assertThat(hive.mail().name()).isEmpty();
        }
        Sent sent = send(null, mail(CODE, Consent.TEAM), Sending.ONCE);
        assertThat(sent).isInstanceOf(Sent.Accepted.class);
        assertThat(sent.transport()).isNull();
        assertThat(result(sent)).isInstanceOf(SendResult.Delivered.class);
    }

    @Test
    void aTransportReachesTheTeamIfEveryServerIsThisMachineOrIfItIsDeclared() throws IOException {
        try (OpenHive hive = open(null, OpenHive.Use.INBOXES)) {
            for (String name : List.of("team", "broker", "cluster", "declared")) {
                assertThat(hive.named(name).reach()).as(name).isEqualTo(Reach.TEAM);
            }
            for (String name : List.of("mixed", "zoned")) {
                assertThat(hive.named(name).reach()).as(name).isEqualTo(Reach.PUBLIC);
            }
        }
    }

    @Test
    void mailForATransportThatIsAwayIsKept() throws IOException {
        Sent sent = send("team", mail(CODE, Consent.TEAM), Sending.ONCE);
        assertThat(sent).isInstanceOf(Sent.Accepted.class);
        assertThat(sent.transport()).isEqualTo("team");
        assertThat(result(sent)).isInstanceOf(SendResult.Spooled.class);
    }

    @Test
    void privateMailLeavesNoMachine() throws IOException {
        Sent sent = send("team", mail(CODE, Consent.PRIVATE), Sending.ONCE);
        assertThat(sent).isInstanceOf(Sent.Incomplete.class);
        assertThat(result(sent)).isInstanceOf(SendResult.BeyondConsent.class);
    }

    @Test
    void underALockMailForAnotherTransportWaitsInTheEmbargo() throws Exception {
        assertThat(
                        new Locksmith(layout, OpenHive.guard(caller, layout))
                                .lockHive("release", "you")
                                .isNew())
                .isTrue();
        Sent sent = send("team", mail(CODE, Consent.TEAM), Sending.ONCE);
        assertThat(sent).isInstanceOf(Sent.Incomplete.class);
        assertThat(result(sent))
                .isInstanceOfSatisfying(
                        SendResult.Withheld.class,
                        withheld -> assertThat(withheld.embargo()).isNotEmpty());
    }

    @Test
    void aMissingInboxIsMadeIfThatIsWanted() throws IOException {
        Envelope envelope = mail(Address.parse("queen://news"), Consent.TEAM);
        assertThatThrownBy(() -> send(null, envelope, Sending.ONCE))
                .isInstanceOf(ProblemException.class)
                .hasMessage("no inbox queen://news; nothing was sent");
        assertThat(send(null, envelope, MAKING)).isInstanceOf(Sent.Accepted.class);
    }

    @Test
    void aLaneIsServedByTheInboxesThereAreAndNoneIsMadeForIt() {
        assertThat(MissingInbox.IS_MADE.makes(CODE)).isTrue();
        assertThat(MissingInbox.IS_MADE.makes(Address.parse("lane://code"))).isFalse();
        assertThat(MissingInbox.FAILS.makes(CODE)).isFalse();
    }

    @Test
    void aBrokerSendsAndHasNoInboxes() throws IOException {
        assertThatThrownBy(() -> open("broker", OpenHive.Use.INBOXES))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("it has no inboxes to look into, take from or make");
        assertThatThrownBy(() -> send("broker", mail(CODE, Consent.TEAM), MAKING))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("it has no inboxes to look into, take from or make");
        try (OpenHive hive = open("broker", OpenHive.Use.SENDING)) {
            assertThat(hive.mail().name()).contains("broker");
            assertThat(hive.mail().domains()).contains(CODE.domain());
        }
    }

    @Test
    void aTransportThatHiveYamlDoesNotNameIsSaidToBeMissing() {
        assertThatThrownBy(() -> open("taem", OpenHive.Use.SENDING))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem ->
                                assertThat(problem.remedy())
                                        .isEqualTo(
                                                new ProblemException.Remedy.Instead(
                                                        "taem", "team")));
    }
}
