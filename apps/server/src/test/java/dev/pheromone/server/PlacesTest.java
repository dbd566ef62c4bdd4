package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.util.Optional;

/// Who makes room for whom.
final class PlacesTest {

    private static final InetAddress FLOOD = InetAddress.ofLiteral("192.0.2.1");
    private static final InetAddress OTHER = InetAddress.ofLiteral("192.0.2.2");

    private final Places<String> places = new Places<>(4, 3);

    @Test
    void theOldestOfTheAddressThatHoldsMostMakesRoom() {
        assertThat(places.enter("other", OTHER)).isEmpty();
        assertThat(places.enter("flood 1", FLOOD)).isEmpty();
        assertThat(places.enter("flood 2", FLOOD)).isEmpty();
        assertThat(places.enter("flood 3", FLOOD)).contains("flood 1");
        assertThat(places.enter("flood 4", FLOOD)).contains("flood 2");
        assertThat(places.all()).containsExactlyInAnyOrder("other", "flood 3", "flood 4");
    }

    @Test
    void whoHasShownTheTokenStays() {
        for (int i = 0; i < 4; i++) {
            assertThat(places.enter("client " + i, FLOOD)).isEmpty();
            places.prove("client " + i);
        }
        assertThat(places.enter("one more", OTHER)).contains("one more");
        places.leave("client 2");
        assertThat(places.enter("one more", OTHER)).isEmpty();
        assertThat(places.enter("the next", FLOOD)).contains("one more");
    }

    @Test
    void theAddressesOfOneNetworkCountAsOneClient() {
        assertThat(places.enter("other", OTHER)).isEmpty();
        assertThat(places.enter("a", InetAddress.ofLiteral("2001:db8:1:1::a"))).isEmpty();
        assertThat(places.enter("b", InetAddress.ofLiteral("2001:db8:1:1::b"))).isEmpty();
        assertThat(places.enter("c", InetAddress.ofLiteral("2001:db8:1:1::c"))).contains("a");
    }

    @Test
    void theAddressesOfThisMachineCountAsOneClient() {
        assertThat(places.enter("other", OTHER)).isEmpty();
        assertThat(places.enter("a", InetAddress.ofLiteral("127.0.0.1"))).isEmpty();
        assertThat(places.enter("b", InetAddress.ofLiteral("127.0.0.2"))).isEmpty();
        assertThat(places.enter("c", InetAddress.ofLiteral("::1"))).contains("a");
    }

    @Test
    void ofClientsThatHoldAsManyTheFirstMakesRoom() {
        for (int i = 0; i < 99; i++) {
            Optional<String> leaving =
                    places.enter("client " + i, InetAddress.ofLiteral("192.0.2." + i));
            assertThat(leaving)
                    .isEqualTo(i < 3 ? Optional.empty() : Optional.of("client " + (i - 3)));
        }
    }

    @Test
    void halfOfTheFilesAreLeftToTheHive() {
        Places<Integer> few = Places.within(ServerLimits.defaults(), 400);
        for (int i = 0; i < 50; i++) {
            assertThat(few.enter(i, FLOOD)).isEmpty();
        }
        assertThat(few.enter(50, FLOOD)).contains(0);
        for (int i = 51; i < 300; i++) {
            few.prove(i - 1);
            few.enter(i, FLOOD);
        }
        assertThat(few.all()).hasSize(200);
        Places<Integer> usual = Places.within(ServerLimits.defaults(), Long.MAX_VALUE);
        for (int i = 0; i < ServerLimits.defaults().unprovenMax(); i++) {
            assertThat(usual.enter(i, FLOOD)).isEmpty();
        }
    }

    @Test
    void whoLeftOrNeverCameHoldsNothing() {
        places.prove("nobody");
        places.leave("nobody");
        for (int i = 0; i < 9; i++) {
            assertThat(places.enter("client " + i, FLOOD)).isEmpty();
            places.leave("client " + i);
            places.leave("client " + i);
        }
        assertThat(places.all()).isEmpty();
    }
}
