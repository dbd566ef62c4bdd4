package dev.pheromone.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.hive.HiveOptions;
import dev.pheromone.hive.HiveOptions.Mode;
import dev.pheromone.hive.Progress;
import dev.pheromone.selection.Waiting;
import dev.pheromone.testkit.MemoryTransport;
import dev.pheromone.testkit.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;

/// The example in the guide does what the guide says.
@Timeout(60)
class ReviewDeskTest {

    private static final String SOURCE =
            "apps/cli/src/test/java/dev/pheromone/example/ReviewDesk.java";

    private final InstantSource clock = InstantSource.system();
    private final MemoryTransport transport =
            new MemoryTransport(clock, Domain.parse("code"), Domain.parse("user-you"));

    private void send(String topic, String body) throws Exception {
        transport.send(
                Envelope.draft(
                                Actor.parse("you"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                topic)
                        .replyTo(Address.parse("user://you"))
                        .ts(clock.instant())
                        .body(body)
                        .seal());
    }

    @Test
    void itReviewsAndAnswers() throws Exception {
        send("review the parser", "please\n");
        send("nothing", "");

        Progress progress =
                new ReviewDesk(transport, clock)
                        .hive(HiveOptions.defaults().withMode(Mode.DRAIN))
                        .run();

        assertThat(progress.done()).isEqualTo(1);
        assertThat(progress.failed()).isEqualTo(1);
        assertThat(transport.inbox(Domain.parse("user-you")).waiting())
                .extracting(waiting -> ((Waiting.Mail) waiting).header().topic())
                .containsExactly("Re: review the parser");
    }

    @Test
    void theProgramInThePageIsTheOneThatIsTested() throws Exception {
        Path root = Objects.requireNonNull(Vectors.folder().getParent()).getParent();
        String source = Files.readString(root.resolve(SOURCE));
        String page = Files.readString(root.resolve("docs/guide/embed.md"));

        assertThat(page).contains("```java\n" + source + "```\n");
    }
}
