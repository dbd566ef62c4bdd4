package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Reach;

import org.junit.jupiter.api.Test;

final class BrokerUrlTest {

    @Test
    void reachIsTeamOnThisMachineAndPublicElsewhere() {
        assertThat(BrokerUrl.parse("mqtt://127.0.0.1").reach()).isEqualTo(Reach.TEAM);
        assertThat(BrokerUrl.parse("mqtts://localhost:1").reach()).isEqualTo(Reach.TEAM);
        assertThat(BrokerUrl.parse("mqtt://[::1]:1").reach()).isEqualTo(Reach.TEAM);
        assertThat(BrokerUrl.parse("mqtt://[0:0:0:0:0:0:0:1]").reach()).isEqualTo(Reach.TEAM);
        assertThat(BrokerUrl.parse("mqtt://[::1%1]").reach()).isEqualTo(Reach.PUBLIC);
        assertThat(BrokerUrl.parse("mqtts://hive.example").reach()).isEqualTo(Reach.PUBLIC);
        assertThat(BrokerUrl.parse("mqtt://127.0.0.1.example").reach()).isEqualTo(Reach.PUBLIC);
    }

    @Test
    void aPortIsWhatTheSchemeUsuallyHas() {
        assertThat(BrokerUrl.parse("mqtt://hive.example")).hasToString("mqtt://hive.example:1883");
        assertThat(BrokerUrl.parse("mqtts://hive.example"))
                .hasToString("mqtts://hive.example:8883");
    }

    @Test
    void anotherSchemeOrALoginIsRefusedWithoutBeingShown() {
        assertThatThrownBy(() -> BrokerUrl.parse("http://hive.example"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BrokerUrl.parse("mqtt://user:secret@hive.example"))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("secret");
    }

    @Test
    void aPortThatThereIsNotIsRefusedAtOnce() {
        assertThatThrownBy(() -> BrokerUrl.parse("mqtt://hive.example:99999"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("found port \"99999\"");
        assertThatThrownBy(() -> BrokerUrl.parse("mqtt://hive.example/path"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
