package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfigBuilder;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.exceptions.MqttClientStateException;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5WillPublish;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5Subscribe;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// One connection to the broker, from its beginning to its end: a lost connection does not come
/// back.
///
/// The library's client would come back by itself, but loses count of what it did not acknowledge
/// before. So each connection has a client of its own.
final class Connection implements Closeable {

    static {
        // Below the library is Netty, which calls what the JDK has deprecated unless told
        // otherwise;
        // and the JDK says so on stderr, once a process.
        String noUnsafe = "io.netty.noUnsafe";
        if (System.getProperty(noUnsafe) == null) {
            System.setProperty(noUnsafe, "true");
        }
    }

    /// How soon the broker notices that we are gone, and we that the broker is, if nobody says so.
    private static final int KEEP_ALIVE_SECONDS = 10;

    /// How many messages may be on their way to us without our word that we have them.
    static final int RECEIVE_MAX = 32;

    /// The largest message that comes and goes: an envelope has at most 73 KiB, and properties.
    static final int PACKET_BYTES_MAX = 128 * 1024;

    private static final Duration GOODBYE_MAX = Duration.ofSeconds(1);

    /// Who connects.
    ///
    /// @param sessionExpiry how long the broker remembers the client when it is gone; zero if the
    ///   client is to begin anew, and to be forgotten
    /// @param receiveMax how many messages may come that are not acknowledged yet
    /// @param will what the broker is to publish if the client vanishes
    record Client(
            String id, Duration sessionExpiry, int receiveMax, @Nullable Mqtt5WillPublish will) {

        /// A client of a random name, without a will.
        static Client unnamed(Duration sessionExpiry) {
            return new Client("rsm-" + Topics.nonce(), sessionExpiry, RECEIVE_MAX, null);
        }
    }

    private final MqttOptions options;
    private final Mqtt5AsyncClient client;
    private final CompletableFuture<Throwable> end = new CompletableFuture<>();
    private @Nullable Mqtt5ConnAck answer;

    private Connection(
            MqttOptions options, Client who, BiConsumer<Connection, Mqtt5Publish> listener) {
        this.options = options;
        Mqtt5ClientBuilder builder =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(who.id())
                        .transportConfig(transport(options))
                        .addDisconnectedListener(context -> end.complete(context.getCause()));
        if (options.login instanceof MqttLogin.Password(var user, var password)) {
            builder =
                    builder.simpleAuth()
                            .username(user)
                            .password(password.get().getBytes(StandardCharsets.UTF_8))
                            .applySimpleAuth();
        }
        client = (who.will() == null ? builder : builder.willPublish(who.will())).buildAsync();
        // Before the connection: what comes while nobody listens would be acknowledged unheard.
        client.publishes(MqttGlobalPublishFilter.ALL, publish -> hand(publish, listener), true);
    }

    /// A listener that throws would hear nothing more, and nobody would notice: the connection ends
    /// instead, and the next one has a listener again.
    private void hand(Mqtt5Publish publish, BiConsumer<Connection, Mqtt5Publish> listener) {
        try {
            listener.accept(this, publish);
        } catch (RuntimeException e) {
            Thread.ofVirtual().start(this::breakOff);
        }
    }

    private static MqttClientTransportConfig transport(MqttOptions options) {
        long millis = options.patience.toMillis();
        MqttClientTransportConfigBuilder transport =
                MqttClientTransportConfig.builder()
                        .serverHost(options.broker.literal())
                        .serverPort(options.broker.port())
                        .socketConnectTimeout(millis, TimeUnit.MILLISECONDS)
                        .mqttConnectTimeout(millis, TimeUnit.MILLISECONDS);
        if (options.broker.isEncrypted()) {
            transport =
                    transport.sslConfig(
                            MqttClientSslConfig.builder()
                                    .trustManagerFactory(options.trusted)
                                    .build());
        }
        return transport.build();
    }

    /// Connects.
    ///
    /// @param listener gets everything that comes, and acknowledges it; must be quick
    /// @throws AwayException if nobody answers
    /// @throws NotLetInException if the broker says no, or is too old
    static Connection open(
            MqttOptions options, Client who, BiConsumer<Connection, Mqtt5Publish> listener)
            throws IOException {
        try {
            return attempt(options, who, listener);
        } catch (AwayException e) {
            if (!BrokerProblem.isHangUp(e) || !speaksOlder(options)) {
                throw e;
            }
        }
        try {
            // The broker may have been on its way down or up, and is there now.
            return attempt(options, who, listener);
        } catch (AwayException e) {
            throw BrokerProblem.isHangUp(e) ? BrokerProblem.tooOld(options.broker, e) : e;
        }
    }

    private static Connection attempt(
            MqttOptions options, Client who, BiConsumer<Connection, Mqtt5Publish> listener)
            throws IOException {
        Connection connection = new Connection(options, who, listener);
        connection.connect(who);
        return connection;
    }

    /// Connects as a client that the broker forgets, and that acknowledges everything at once.
    static Connection passing(MqttOptions options, Consumer<Mqtt5Publish> listener)
            throws IOException {
        return open(
                options,
                Client.unnamed(Duration.ZERO),
                (_, message) -> {
                    message.acknowledge();
                    listener.accept(message);
                });
    }

    private void connect(Client who) throws IOException {
        Mqtt5Connect connect =
                Mqtt5Connect.builder()
                        .cleanStart(who.sessionExpiry().isZero())
                        .sessionExpiryInterval(who.sessionExpiry().toSeconds())
                        .keepAlive(KEEP_ALIVE_SECONDS)
                        .restrictions()
                        .receiveMaximum(who.receiveMax())
                        .maximumPacketSize(PACKET_BYTES_MAX)
                        // After a message that is too large, the library would use an alias that
                        // the
                        // broker has never heard of, and the broker would hang up.
                        .sendTopicAliasMaximum(0)
                        .applyRestrictions()
                        .build();
        CompletableFuture<Mqtt5ConnAck> connecting = client.connect(connect);
        try {
            answer = await(connecting.copy());
        } catch (IOException e) {
            // The connection may come to be nevertheless, and would be nobody's.
            var _ = connecting.thenCompose(_ -> client.disconnect());
            if (e instanceof NotLetInException || e instanceof InterruptedIOException) {
                throw e;
            }
            throw new AwayException(e.getMessage() + ", expected a broker that answers", e);
        }
        if (answer.getRestrictions().getMaximumQos() == MqttQos.AT_MOST_ONCE) {
            close();
            throw new NotLetInException(
                    options.broker + ": confirms no messages, expected quality of service 1");
        }
    }

    /// Whether the broker answers clients of an older MQTT, whatever it says to them. To a client
    /// of version 5 an older broker may hang up without a word.
    private static boolean speaksOlder(MqttOptions options) {
        var older =
                MqttClient.builder()
                        .useMqttVersion3()
                        .identifier("rsm-" + Topics.nonce())
                        .transportConfig(transport(options))
                        .buildAsync();
        try {
            var _ = older.connect().get(options.patience.toMillis(), TimeUnit.MILLISECONDS);
            var _ = older.disconnect();
            return true;
        } catch (ExecutionException e) {
            return e.getCause() instanceof Mqtt3ConnAckException;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// What the broker said when it let us in.
    Mqtt5ConnAck answer() {
        if (answer == null) {
            throw new IllegalStateException("not connected");
        }
        return answer;
    }

    boolean isUp() {
        return !end.isDone() && client.getState().isConnected();
    }

    /// Is there when the connection has ended, and says why.
    CompletableFuture<Throwable> end() {
        return end;
    }

    /// Whether a connection ended because of `reason`, as its end or what led to it says.
    static boolean isBecauseOf(@Nullable Throwable end, Mqtt5DisconnectReasonCode reason) {
        return end != null
                && ((end instanceof Mqtt5DisconnectException e
                                && e.getMqttMessage().getReasonCode() == reason)
                        || isBecauseOf(end.getCause(), reason));
    }

    /// Subscribes to one topic or filter, with quality of service 1.
    void subscribe(String filter, Mqtt5RetainHandling kept) throws IOException {
        Mqtt5Subscribe subscribe =
                Mqtt5Subscribe.builder()
                        .topicFilter(filter)
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .retainHandling(kept)
                        .build();
        try {
            var _ = await(orLost(client.subscribe(subscribe)));
        } catch (MqttClientStateException e) {
            throw new IOException(options.broker + ": the connection is lost", e);
        }
    }

    /// Hands a message over. When the answer is there, the broker has it, and the answer says
    /// whether anybody is to get it, as far as the broker says so.
    CompletableFuture<Boolean> publish(Mqtt5Publish message) {
        CompletableFuture<Mqtt5PublishResult> published;
        try {
            published = client.publish(message);
        } catch (MqttClientStateException e) {
            return CompletableFuture.failedFuture(e);
        }
        return orLost(published).thenCompose(Connection::isAwaited);
    }

    /// The answer, or the end of the connection: the library would wait for the next one.
    private <T> CompletableFuture<T> orLost(CompletableFuture<T> answer) {
        return answer.applyToEither(
                end.thenCompose(CompletableFuture::failedFuture), result -> result);
    }

    private static CompletableFuture<Boolean> isAwaited(Mqtt5PublishResult result) {
        if (result.getError().isPresent()) {
            return CompletableFuture.failedFuture(result.getError().get());
        }
        return CompletableFuture.completedFuture(
                !(result instanceof Mqtt5PublishResult.Mqtt5Qos1Result stored
                        && stored.getPubAck().getReasonCode()
                                == Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS));
    }

    /// The answer, if it comes in time.
    <T> T await(CompletableFuture<T> pending) throws IOException {
        try {
            return pending.get(options.patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw BrokerProblem.of(options.broker, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            // Nobody waits for the answer any more.
            pending.cancel(false);
            throw new IOException(
                    "%s: no answer within %ds, expected one"
                            .formatted(options.broker, options.patience.toSeconds()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + options.broker);
        }
    }

    /// Ends the connection as if it were lost: the broker keeps what is not acknowledged, and the
    /// will holds.
    void breakOff() {
        end(
                Mqtt5Disconnect.builder()
                        .reasonCode(Mqtt5DisconnectReasonCode.DISCONNECT_WITH_WILL_MESSAGE)
                        .build());
    }

    /// Ends the connection, and has the broker forget its session.
    void forget() {
        end(Mqtt5Disconnect.builder().sessionExpiryInterval(0).build());
    }

    /// Ends the connection, and the will with it.
    @Override
    public void close() {
        end(Mqtt5Disconnect.builder().build());
    }

    private void end(Mqtt5Disconnect goodbye) {
        if (!isUp()) {
            return;
        }
        try {
            var _ = client.disconnect(goodbye).get(GOODBYE_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The connection is gone already.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
