package dev.pheromone.session.mail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.session.caller.NamedCaller;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/// When people are told of their mail.
class NoticesTest {

    private static final Address YOU = Address.parse("user://you");

    @TempDir Path folder;

    private final FakeClock clock =
            new FakeClock(Clock.systemUTC().instant().truncatedTo(ChronoUnit.MILLIS));
    private HiveLayout layout;

    @BeforeEach
    void makeHive() throws Exception {
        layout = HiveSetup.init(folder, YOU, OnUnfitVolume.ACCEPT).layout();
    }

    private OpenHive open() throws IOException {
        return OpenHive.of(caller(), layout);
    }

    private NamedCaller caller() {
        return new NamedCaller("you", folder.resolve("home"), clock);
    }

    private void send(OpenHive hive, Address to, String topic, String ttl) throws Exception {
        var _ =
                hive.mail()
                        .send(
                                Envelope.draft(new Actor("ci"), List.of(to), Lane.CODE, topic)
                                        .ts(clock.instant())
                                        .ttl(Ttl.parse(ttl))
                                        .body("x\n")
                                        .seal());
    }

    /// What a process that begins now tells: the stage, the number and the first topic of each.
    private List<String> told(OpenHive hive) throws IOException {
        Notices notices = new Notices(caller(), hive);
        List<String> told =
                notices.due().stream()
                        .map(one -> one.stage() + " " + one.count() + " " + one.first().topic())
                        .toList();
        notices.done();
        return told;
    }

    @Test
    void eachEnvelopeIsToldOfWhenItCameAtHalfOfItsTimeAndNearTheEnd() throws Exception {
        try (OpenHive hive = open()) {
            send(hive, YOU, "first", "10h");
            assertThat(told(hive)).containsExactly("new 1 first");
            assertThat(told(hive)).isEmpty();
            clock.advance(Duration.ofHours(4));
            send(hive, YOU, "second", "10h");
            assertThat(told(hive)).containsExactly("new 1 second");
            clock.advance(Duration.ofHours(1));
            assertThat(told(hive)).containsExactly("half 1 first");
            clock.advance(Duration.ofHours(4));
            assertThat(told(hive)).containsExactlyInAnyOrder("last 1 first", "half 1 second");
            assertThat(told(hive)).isEmpty();
            clock.advance(Duration.ofHours(2));
            assertThat(told(hive)).isEmpty();
        }
    }

    @Test
    void aQuestionIsToldOfAtHalfAndNearTheEndOfItsDeadlineAndNotAfterIt() throws Exception {
        try (OpenHive hive = open()) {
            Ask ask =
                    new Ask(
                            List.of("yes", "no"),
                            false,
                            "no",
                            clock.instant().plus(Duration.ofHours(1)),
                            List.of());
            var _ =
                    hive.mail()
                            .send(
                                    Envelope.draft(
                                                    new Actor("ci"),
                                                    List.of(YOU),
                                                    Lane.CODE,
                                                    "may I?")
                                            .ts(clock.instant())
                                            .ttl(Ttl.parse("10h"))
                                            .ask(ask)
                                            .body("x\n")
                                            .seal());
            Notices stays = new Notices(caller(), hive);
            assertThat(stays.due())
                    .singleElement()
                    .satisfies(one -> assertThat(one.endsAt()).isEqualTo(ask.deadline()));
            assertThat(told(hive)).containsExactly("new 1 may I?");
            clock.advance(Duration.ofMinutes(29));
            assertThat(told(hive)).isEmpty();
            clock.advance(Duration.ofMinutes(1));
            assertThat(told(hive)).containsExactly("half 1 may I?");
            clock.advance(Duration.ofMinutes(23));
            assertThat(told(hive)).isEmpty();
            clock.advance(Duration.ofMinutes(1));
            assertThat(told(hive)).containsExactly("last 1 may I?");
            clock.advance(Duration.ofHours(5));
            assertThat(told(hive)).isEmpty();
        }
    }

    @Test
    void whatCameTogetherIsToldOfAtOnceAndOnlyMailForPeople() throws Exception {
        try (OpenHive hive = open()) {
            for (int i = 0; i < 20; i++) {
                send(hive, YOU, "mail " + i, "1d");
            }
            send(hive, Address.parse("queen://code"), "for workers", "1d");
            assertThat(told(hive)).singleElement().asString().startsWith("new 20 ");
        }
    }

    @Test
    void aMemoryThatCantBeReadTellsOnceMore() throws Exception {
        try (OpenHive hive = open()) {
            send(hive, YOU, "first", "1d");
            assertThat(told(hive)).hasSize(1);
            Files.writeString(layout.notified(), "\0 junk\nuser-you/x new\n");
            assertThat(told(hive)).hasSize(1);
            assertThat(told(hive)).isEmpty();
        }
    }
}
