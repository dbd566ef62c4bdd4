package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.datatypes.MqttTopicFilter;
import com.hivemq.client.mqtt.exceptions.MqttClientStateException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckRestrictions;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5Subscribe;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5Subscription;
import com.hivemq.client.mqtt.mqtt5.message.unsubscribe.Mqtt5Unsubscribe;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/// One connection to the broker, from its beginning to its end: once lost, it does not come back.
///
/// So whatever is heard on it comes from one and the same run of the broker.
final class Line implements AutoCloseable {

    /// How soon the broker notices that we are gone, and we that it is, if nobody says so.
    private static final int KEEP_ALIVE_SECONDS = 10;

    /// How long the broker remembers our subscriptions while we are away.
    private static final long SESSION_SECONDS = 60;

    private static final Duration GOODBYE_MAX = Duration.ofSeconds(1);

    /// What the broker knows of us from before.
    enum Session {
        /// Nothing, and it forgets us when we go.
        NEW,
        /// What it knew when we were last there, if that is not long ago.
        RESUMED
    }

    /// What a subscription brings.
    enum Begin {
        /// What the broker keeps. More may come, but nothing of what we add ourselves.
        WITH_KEPT,
        /// What the broker keeps, and each change of it.
        FOLLOWED,
        /// What comes while we are connected.
        WITH_NEW,
        /// What comes, also while we are away: the broker queues it.
        QUEUED
    }

    private final BrokerUrl broker;
    private final Mqtt5AsyncClient client;
    private final Pending pending;
    private final Echoes echoes;
    private final boolean isResumed;
    private final Duration patience;

    private Line(
            BrokerUrl broker,
            Mqtt5AsyncClient client,
            Pending pending,
            Echoes echoes,
            boolean isResumed,
            Duration patience) {
        this.broker = broker;
        this.client = client;
        this.pending = pending;
        this.echoes = echoes;
        this.isResumed = isResumed;
        this.patience = patience;
    }

    /// Connects under the identifier `id`. Whoever was connected under it is put out by the broker.
    ///
    /// @param will what the broker is to say if we vanish
    /// @param listener hears everything that comes, one after the other; must be quick
    static Line open(
            MqttOptions options,
            String id,
            Session session,
            @Nullable Post will,
            Consumer<Post> listener)
            throws IOException {
        Pending pending = new Pending();
        Echoes echoes = new Echoes();
        Mqtt5ClientBuilder builder =
                Dial.client(options, id).addDisconnectedListener(_ -> pending.lose());
        if (will != null) {
            builder = builder.willPublish(will.toPublish(MqttQos.AT_LEAST_ONCE));
        }
        Mqtt5AsyncClient client = builder.buildAsync();
        client.publishes(
                MqttGlobalPublishFilter.ALL,
                publish -> {
                    Post post = Post.of(publish);
                    if (!echoes.hear(post)) {
                        listener.accept(post);
                    }
                });
        Mqtt5Connect connect =
                Mqtt5Connect.builder()
                        .cleanStart(session == Session.NEW)
                        .sessionExpiryInterval(session == Session.NEW ? 0 : SESSION_SECONDS)
                        .keepAlive(KEEP_ALIVE_SECONDS)
                        .build();
        CompletableFuture<Mqtt5ConnAck> connecting = client.connect(connect);
        Mqtt5ConnAck answer;
        try {
            answer = Dial.await(connecting.copy(), options.patience(), options.broker());
        } catch (IOException e) {
            // It may come to be nevertheless, and would be nobody's.
            var _ = connecting.thenCompose(_ -> client.disconnect());
            throw e;
        }
        Line line =
                new Line(
                        options.broker(),
                        client,
                        pending,
                        echoes,
                        answer.isSessionPresent(),
                        options.patience());
        line.check(answer.getRestrictions());
        return line;
    }

    private void check(Mqtt5ConnAckRestrictions allowed) throws IOException {
        if (!allowed.isRetainAvailable() || !allowed.isWildcardSubscriptionAvailable()) {
            close();
            throw new RefusedException(
                    broker + ": keeps no messages or knows no wildcards, expected both");
        }
    }

    /// Whether the broker knew us from before.
    boolean isResumed() {
        return isResumed;
    }

    boolean isUp() {
        return client.getState().isConnected();
    }

    /// Hands `post` over. When the answer is there, the broker has it, and it says whether anybody
    /// listens.
    CompletableFuture<Boolean> publish(Post post) {
        return started(() -> client.publish(post.toPublish(MqttQos.AT_LEAST_ONCE)))
                .thenApply(Line::isListenedTo);
    }

    /// Hands `post` over, and does not ask whether it got there.
    void tell(Post post) {
        var _ = started(() -> client.publish(post.toPublish(MqttQos.AT_MOST_ONCE)));
    }

    /// Is there when the broker has sent us all that it had for us, and when everything has been
    /// written that it had confirmed to us before.
    ///
    /// The broker works in rounds: it takes messages and confirms them, and writes its file at the
    /// end of the round. What we say to ourselves after a confirmation is of a later round, and it
    /// is nothing that the broker would write.
    ///
    /// @param topic one that we listen to
    CompletableFuture<Boolean> echo(String topic) {
        CompletableFuture<Boolean> heard = pending.add(new CompletableFuture<>());
        tell(Post.passing(topic, new byte[0]).asking(echoes.expect(heard), ""));
        return heard;
    }

    private static boolean isListenedTo(Mqtt5PublishResult result) {
        return !(result instanceof Mqtt5PublishResult.Mqtt5Qos1Result stored
                && stored.getPubAck().getReasonCode()
                        == Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS);
    }

    CompletableFuture<?> subscribe(Collection<String> filters, Begin begin) {
        Mqtt5RetainHandling kept =
                begin == Begin.WITH_KEPT || begin == Begin.FOLLOWED
                        ? Mqtt5RetainHandling.SEND
                        : Mqtt5RetainHandling.DO_NOT_SEND;
        // What is not queued is neither acknowledged one by one nor written to the broker's disk.
        // If it is lost, it is asked for again.
        MqttQos qos = begin == Begin.QUEUED ? MqttQos.AT_LEAST_ONCE : MqttQos.AT_MOST_ONCE;
        Mqtt5Subscribe subscribe =
                Mqtt5Subscribe.builder()
                        .addSubscriptions(
                                filters.stream()
                                        .map(filter ->
                                                Mqtt5Subscription.builder()
                                                        .topicFilter(filter)
                                                        .qos(qos)
                                                        .retainHandling(kept)
                                                        .noLocal(begin == Begin.WITH_KEPT)
                                                        .build())
                                        .toList())
                        .build();
        return started(() -> client.subscribe(subscribe));
    }

    void unsubscribe(Collection<String> filters) {
        Mqtt5Unsubscribe unsubscribe =
                Mqtt5Unsubscribe.builder()
                        .addTopicFilters(filters.stream().map(MqttTopicFilter::of).toList())
                        .build();
        var _ = started(() -> client.unsubscribe(unsubscribe));
    }

    private interface Start<T> {
        CompletableFuture<T> get();
    }

    private <T> CompletableFuture<T> started(Start<T> start) {
        try {
            return pending.add(start.get());
        } catch (MqttClientStateException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /// The answer, if it comes in time.
    <T> T await(CompletableFuture<T> answer, Duration timeout) throws IOException {
        return Dial.await(answer, timeout, broker);
    }

    <T> T await(CompletableFuture<T> answer) throws IOException {
        return Dial.await(answer, patience, broker);
    }

    /// Ends the connection, so that the broker forgets us and does not say our will.
    @Override
    public void close() {
        end(Mqtt5Disconnect.builder().sessionExpiryInterval(0).build());
    }

    /// Ends the connection for a while.
    void leave() {
        end(Mqtt5Disconnect.builder().build());
    }

    private void end(Mqtt5Disconnect goodbye) {
        if (isUp()) {
            try {
                var _ =
                        client.disconnect(goodbye)
                                .get(GOODBYE_MAX.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                // It is gone already.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
