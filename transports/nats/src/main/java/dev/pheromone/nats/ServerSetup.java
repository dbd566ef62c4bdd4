package dev.pheromone.nats;

import dev.pheromone.Domain;
import dev.pheromone.Priority;
import dev.pheromone.Recipients;

import io.nats.client.api.AckPolicy;
import io.nats.client.api.ClusterInfo;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.Replica;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Makes what a hive needs on the server, where it is missing; what is there stays as it is.
final class ServerSetup implements Recipients.Inboxes {

    /// How long the server itself knows a message again; the records know it for ever.
    private static final Duration DUPLICATE_WINDOW = Duration.ofMinutes(2);

    /// How much mail of one class in one inbox may be claimed or paused at a time.
    private static final int ACK_PENDING_MAX = 50_000;

    private final Link link;
    private final Names names;
    private final NatsOptions options;

    ServerSetup(Link link, Names names, NatsOptions options) {
        this.link = link;
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

    private void make(StreamConfiguration stream) throws IOException {
        try {
            StreamInfo known = link.ask(() -> link.management().getStreamInfo(stream.getName()));
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
            var _ = link.ask(() -> link.management().addStream(stream));
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
                    link.ask(() ->
                            link.management().addOrUpdateConsumer(names.mailStream(), consumer));
        }
    }

    @Override
    public List<Domain> list() throws IOException {
        List<Domain> inboxes = new ArrayList<>();
        for (String consumer :
                link.ask(() -> link.management().getConsumerNames(names.mailStream()))) {
            Optional<Domain> inbox = Names.inboxOf(consumer);
            inbox.ifPresent(inboxes::add);
        }
        inboxes.sort(null);
        return inboxes;
    }
}
