package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.NatsServer;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Subscription;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.RetentionPolicy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/// What the server is told, heard by somebody who listens along: JetStream's own words, so that its
/// tools show the truth, and it hands nothing out that somebody works on.
@Timeout(120)
final class ToldServerTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("claude-7f3a");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(1));
    private static final Duration HEARD_MAX = Duration.ofSeconds(10);

    @TempDir Path folder;
    private final FakeClock clock = new FakeClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));
    private final Names names = new Names("hive");
    private NatsServer server;
    private NatsTransport transport;
    private Connection listener;
    private Inbox inbox;

    @BeforeEach
    void start() throws Exception {
        NatsServer.refuseWithout("ToldServerTest");
        server = NatsServer.start(folder);
        NatsOptions options = NatsOptions.of(server.url(), names.hive()).withInboxes(List.of(CODE));
        transport = NatsTransport.open(options, clock);
        inbox = transport.inbox(CODE);
        listener = Nats.connect(server.url());
    }

    @AfterEach
    void stop() throws Exception {
        if (listener != null) {
            listener.close();
        }
        if (transport != null) {
            transport.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private Envelope mail() {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        "deploy")
                .ts(clock.instant())
                .priority(Priority.P1)
                .body("now\n")
                .seal();
    }

    private Subscription listen(String subject) throws Exception {
        Subscription heard = listener.subscribe(subject);
        listener.flush(HEARD_MAX);
        return heard;
    }

    /// What it is told next of mail that it handed out.
    private static String next(Subscription heard) throws Exception {
        Message message = heard.nextMessage(HEARD_MAX);
        return message == null
                ? "nothing within " + HEARD_MAX
                : new String(message.getData(), StandardCharsets.US_ASCII);
    }

    private Claim take() throws Exception {
        return ((Selection.Taken) inbox.select(WORKER, LEASE)).claim();
    }

    @Test
    void mailIsPublishedUnderItsInboxIdAndHash() throws Exception {
        Subscription published = listen(names.allMail());
        Envelope envelope = mail();
        var _ = transport.send(envelope);

        Message message = published.nextMessage(HEARD_MAX);
        assertThat(message.getSubject()).isEqualTo(names.mail(CODE, Priority.P1, envelope.id()));
        assertThat(message.getHeaders().getFirst("Nats-Msg-Id"))
                .isEqualTo(CODE + "|" + envelope.id() + "|" + envelope.hash());
        assertThat(message.getData()).isEqualTo(envelope.bytes());
    }

    @Test
    void whoWorksSaysSoAndWhoIsDoneEndsIt() throws Exception {
        var _ = transport.send(mail());
        Subscription told = listen("$JS.ACK.>");
        Claim claim = take();

        var _ = inbox.renew(claim.token());
        assertThat(next(told)).isEqualTo("+WPI");
        var _ = inbox.settle(claim.token(), new Outcome.Done("merged"));
        assertThat(next(told)).isEqualTo("+ACK");
    }

    @Test
    void whatFailedIsKeptBackForItsPauseAndWhatIsDeadNeverComesAgain() throws Exception {
        Envelope envelope = mail();
        var _ = transport.send(envelope);
        Subscription told = listen("$JS.ACK.>");

        var _ = inbox.settle(take().token(), new Outcome.Failed("no"));
        assertThat(next(told)).matches("-NAK \\{\"delay\":[1-9][0-9]{9,}}");

        told.unsubscribe();
        String forged = envelope.id() + "x";
        listener.publish("pheromone.hive.mail.code.P1." + forged, new byte[] {1});
        Subscription toldOfForged = listen("$JS.ACK.>");
        assertThat(inbox.select(WORKER, LEASE)).isInstanceOf(Selection.Nothing.class);
        assertThat(next(toldOfForged)).isEqualTo("+TERM");
    }

    @Test
    void theQueueIsForWorkAndItsConsumersOutliveUs() throws Exception {
        JetStreamManagement management = listener.jetStreamManagement();
        assertThat(management.getStreamInfo(names.mailStream()).getConfiguration())
                .satisfies(queue ->
                        assertThat(queue.getRetentionPolicy())
                                .isEqualTo(RetentionPolicy.WorkQueue));
        transport.close();
        for (Priority priority : Priority.values()) {
            ConsumerConfiguration consumer =
                    management
                            .getConsumerInfo(names.mailStream(), Names.consumer(CODE, priority))
                            .getConsumerConfiguration();
            assertThat(consumer.getDurable()).isEqualTo(Names.consumer(CODE, priority));
        }
    }
}
