package dev.pheromone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeId;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

final class EndedTest {

    private static final String ULID = "01JD0C5RNH7VZ2Y4T6W8XKAM3B";
    private static final String UUID = "0192f3a1-7c4e-7b1a-9d2e-3f4a5b6c7d8e";

    private static Optional<Ended> of(String inbox, String state, String name) {
        byte[] content = "no mail".getBytes(StandardCharsets.UTF_8);
        return Ended.of(inbox, state, name, content, "spoilt", null, "here");
    }

    @Test
    void anIdIsFoundAloneAndBeforeWhatTellsCopiesApart() {
        for (String id : new String[] {ULID, UUID}) {
            for (String name : new String[] {id, id + "-7", id + "-0123abcd"}) {
                assertThat(of("code", "dead", name).orElseThrow().id())
                        .as(name)
                        .isEqualTo(EnvelopeId.parse(id));
            }
        }
    }

    @Test
    void whatIsNoEnvelopeIsStillShown() {
        Ended ended = of("code", "dead", "0123abcd").orElseThrow();
        assertThat(ended.id()).isNull();
        assertThat(ended.header()).isNull();
        assertThat(ended.reason()).isEqualTo("spoilt");
        assertThat(ended.state()).isEqualTo(State.DEAD);
    }

    @Test
    void whatSomebodyElsePutThereIsLeftOut() {
        assertThat(of("no inbox", "dead", ULID)).isEmpty();
        assertThat(of("code", "lost", ULID)).isEmpty();
    }
}
