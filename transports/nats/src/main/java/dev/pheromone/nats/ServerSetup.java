package dev.pheromone.nats;

import dev.pheromone.Recipients;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Priority;

import io.nats.client.api.AckPolicy;
import io.nats.client.api.ClusterInfo;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.Replica;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.api.StreamState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Makes what a hive needs on the server, where it is missing; what is there stays as it is.
final class ServerSetup implements Recipients.Inboxes {

    /// How long the server itself knows a message again; the records know it for ever.
    private static final Duration DUPLICATE_WINDOW = Duration.ofMinutes(2);

    /// How much mail of one class in one inbox may be claimed or paused at a time.
    private static final int ACK_PENDING_MAX = 50_000;

    /// Within this time all streams of a hive are made.
    private static final Duration MADE_WITHIN = Duration.ofMinutes(1);

    private final ReconnectingConnection connection;
    private final Names names;
    private final NatsOptions options;
    private final Set<String> made = new TreeSet<>();

    /// What was missing when the hive was opened, and other things of it were there.
    private final Set<String> madeBesideOthers = new TreeSet<>();

    ServerSetup(ReconnectingConnection connection, Names names, NatsOptions options) {
        this.connection = connection;
        this.names = names;
        this.options = options;
    }

    void makeStreams() throws IOException {
        make(
                stream(names.mailStream(), names.allMail())
                        .retentionPolicy(RetentionPolicy.WorkQueue)
                        .duplicateWindow(DUPLICATE_WINDOW)
                        .build());
        make(stream(names.archiveStream(), names.allArchived()).build());
        make(
                stream(names.recordStream(), names.allRecords())
                        .maxMessagesPerSubject(1)
                        .allowRollup(true)
                        .allowDirect(true)
                        .denyDelete(true)
                        .build());
        if (made.size() < streams().size()) {
            madeBesideOthers.addAll(made);
        }
    }

    /// Full means refused, never that something older gives way.
    private StreamConfiguration.Builder stream(String name, String subjects) {
        return StreamConfiguration.builder()
                .name(name)
                .subjects(subjects)
                .storageType(StorageType.File)
                .discardPolicy(DiscardPolicy.New)
                .replicas(options.replicas());
    }

    /// Throws if the server would refuse an envelope of the largest size, and says why.
    void requireRoom(Instant now) throws IOException {
        byte[] probe = new byte[EnvelopeText.ENVELOPE_BYTES_MAX];
        for (String name : streams()) {
            StreamInfo stream = connection.ask(() -> connection.management().getStreamInfo(name));
            long bytesMax = stream.getConfiguration().getMaxBytes();
            long messagesMax = stream.getConfiguration().getMaxMsgs();
            StreamState state = stream.getStreamState();
            if ((bytesMax >= 0 && state.getByteCount() + probe.length > bytesMax)
                    || (messagesMax >= 0 && state.getMsgCount() >= messagesMax)) {
                throw new IOException(
                        "it answers, and takes no mail: stream "
                                + name
                                + " is full, with "
                                + state.getMsgCount()
                                + " messages of "
                                + state.getByteCount()
                                + " bytes");
            }
        }
        try {
            new MailRecords(connection, names).tryRoom(probe, EnvelopeId.random(now));
        } catch (IOException e) {
            // It has just answered: what it says now is no silence.
            throw new IOException("it answers, and takes no mail: " + e.getMessage(), e);
        }
    }

    /// What was deleted under the hive: all its streams are made together, so that one that is
    /// younger than another was made in the place of one that was lost.
    List<String> madeAnew() throws IOException {
        Map<String, Instant> created = new LinkedHashMap<>();
        for (String name : streams()) {
            StreamInfo stream = connection.ask(() -> connection.management().getStreamInfo(name));
            created.put(name, stream.getCreateTime().toInstant());
        }
        Set<String> anew = new TreeSet<>(younger(created));
        anew.addAll(madeBesideOthers);
        return anew.stream()
                .map(name -> name + " was deleted and made anew: " + lost(name))
                .toList();
    }

    /// The streams that were not made together with the oldest.
    static Set<String> younger(Map<String, Instant> created) {
        Instant together = Collections.min(created.values()).plus(MADE_WITHIN);
        Set<String> younger = new TreeSet<>();
        created.forEach((name, at) -> {
            if (at.isAfter(together)) {
                younger.add(name);
            }
        });
        return younger;
    }

    private String lost(String stream) {
        if (stream.equals(names.mailStream())) {
            return "mail that waited in it is lost";
        }
        return stream.equals(names.recordStream())
                ? "what was done before may be done again"
                : "what had ended otherwise than done is not shown any more";
    }

    private List<String> streams() {
        return List.of(names.mailStream(), names.archiveStream(), names.recordStream());
    }

    private void make(StreamConfiguration stream) throws IOException {
        try {
            StreamInfo known =
                    connection.ask(() -> connection.management().getStreamInfo(stream.getName()));
            if (copies(known) < stream.getReplicas()) {
                // The server could copy it, but until 2.10 its consumers may then forget mail.
                throw new IOException(
                        "replicas: found "
                                + copies(known)
                                + " of "
                                + stream.getName()
                                + " on the server, expected "
                                + stream.getReplicas()
                                + ": give the hive a new name there (hive: NAME), which is made"
                                + " so, and bridge the old one to it");
            }
        } catch (RefusedException e) {
            if (!e.is(RefusedException.STREAM_NOT_FOUND)) {
                throw e;
            }
            var _ = connection.ask(() -> connection.management().addStream(stream));
            made.add(stream.getName());
        }
    }

    private static int copies(StreamInfo stream) {
        @Nullable ClusterInfo cluster = stream.getClusterInfo();
        @Nullable List<Replica> others = cluster == null ? null : cluster.getReplicas();
        return others == null ? 1 : 1 + others.size();
    }

    @Override
    public void make(Domain domain) throws IOException {
        for (Priority priority : Priority.values()) {
            ConsumerConfiguration consumer =
                    ConsumerConfiguration.builder()
                            .durable(Names.consumer(domain, priority))
                            .filterSubject(names.mailOf(domain, priority))
                            .ackPolicy(AckPolicy.Explicit)
                            .ackWait(options.lookAgain())
                            .maxAckPending(ACK_PENDING_MAX)
                            .build();
            var _ =
                    connection.ask(() ->
                            connection
                                    .management()
                                    .addOrUpdateConsumer(names.mailStream(), consumer));
        }
    }

    @Override
    public List<Domain> list() throws IOException {
        List<Domain> inboxes = new ArrayList<>();
        for (String consumer :
                connection.ask(
                        () -> connection.management().getConsumerNames(names.mailStream()))) {
            Optional<Domain> inbox = Names.inboxOf(consumer);
            inbox.ifPresent(inboxes::add);
        }
        inboxes.sort(null);
        return inboxes;
    }
}
