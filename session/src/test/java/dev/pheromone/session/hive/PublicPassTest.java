package dev.pheromone.session.hive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.session.caller.NamedCaller;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/// A hive that is opened for whatever door looks through public mail by the real rules.
class PublicPassTest {

    private static final Domain CODE = Domain.parse("code");

    @TempDir Path folder;

    private final FakeClock clock = new FakeClock(Clock.systemUTC().instant());
    private OpenHive hive;

    @BeforeEach
    void openHive() throws Exception {
        NamedCaller caller = new NamedCaller("claude", folder.resolve("home"), clock);
        hive =
                OpenHive.of(
                        caller,
                        HiveSetup.init(folder, Address.parse("user://you"), OnUnfitVolume.ACCEPT)
                                .layout());
    }

    @AfterEach
    void closeHive() {
        hive.close();
    }

    private SendResult sent(Consent consent) throws Exception {
        Envelope envelope =
                Envelope.draft(new Actor("claude"), List.of(CODE.address()), Lane.CODE, "login")
                        .ts(clock.instant())
                        .consent(consent)
                        .body("password = \"swordfish9\"\n")
                        .seal();
        return hive.transport().send(envelope).copies().getFirst().result();
    }

    @Test
    void publicMailThatHoldsASecretIsRefusedAndTheLogIsTold() throws Exception {
        assertThat(sent(Consent.PUBLIC))
                .isInstanceOfSatisfying(
                        SendResult.NotPublic.class,
                        refused -> assertThat(refused.kinds()).containsExactly("password"));
        assertThat(hive.transport().inbox(CODE).waiting()).isEmpty();
        assertThat(Files.readString(hive.layout().log()))
                .contains("\"password\"")
                .doesNotContain("swordfish9");
    }

    @Test
    void theSameWithinTheTeamArrives() throws Exception {
        assertThat(sent(Consent.TEAM)).isInstanceOf(SendResult.Delivered.class);
    }
}
