package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.testkit.NatsServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// Records and marks, where two change the same.
final class MailRecordsTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");

    @TempDir Path folder;

    @Test
    void whatIsForgottenTwiceIsForgottenOnce() throws Exception {
        NatsServer.refuseWithout("MailRecordsTest");
        Envelope envelope =
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                "forgotten")
                        .ts(NOW)
                        .seal();
        EnvelopeId id = envelope.id();
        MailRecord record = MailRecord.fresh(envelope.fingerprint(), NOW);
        try (NatsServer server = NatsServer.start(folder)) {
            NatsOptions options =
                    NatsOptions.of(server.url(), "records").withInboxes(List.of(CODE));
            NatsTransport.open(options, InstantSource.system()).close();
            forgetTwice(options, id, record, envelope);
        }
    }

    private static void forgetTwice(
            NatsOptions options, EnvelopeId id, MailRecord record, Envelope envelope)
            throws Exception {
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            MailRecords records = new MailRecords(connection, new Names(options.hive()));
            long first = records.replace(CODE, id, record, MailRecords.UNWRITTEN).orElseThrow();
            records.forget(CODE, id, first);
            assertThat(records.find(CODE, id)).isEmpty();
            assertThat(records.replace(CODE, id, record, MailRecords.UNWRITTEN)).isPresent();
            records.forget(CODE, id, first);
            assertThat(records.find(CODE, id)).isPresent();

            assertThat(mark(records, envelope)).isTrue();
            MailRecords.Mark mark = records.known(CODE, id).orElseThrow();
            records.unmark(CODE, id, mark);
            assertThat(records.known(CODE, id)).isEmpty();
            assertThat(mark(records, envelope)).isTrue();
            assertThat(mark(records, envelope)).isFalse();
            records.unmark(CODE, id, mark);
            assertThat(records.known(CODE, id)).isPresent();
        }
    }

    private static boolean mark(MailRecords records, Envelope envelope) throws Exception {
        return records.remark(CODE, envelope.id(), envelope.fingerprint(), MailRecords.UNWRITTEN);
    }
}
