package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfig;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5SimpleAuth;
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

import io.reactivex.disposables.Disposable;
import io.reactivex.schedulers.Schedulers;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
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
        // otherwise. The JDK says so on stderr, once a process.
        String noUnsafe = "io.netty.noUnsafe";
        if (System.getProperty(noUnsafe) == null) {
            System.setProperty(noUnsafe, "true");
        }
    }

    /// How soon the broker notices that we are gone, and we that the broker is, if nobody says so.
    private static final int KEEP_ALIVE_SECONDS = 10;

    /// How many messages may be on their way to us without our word that we have them.
    static final int RECEIVE_MAX = 32;

    /// The most that the protocol knows, for who acknowledges at once: Mosquitto sends what it
    /// retains without regard to a limit, and the library would hang up.
    private static final int RECEIVE_ALL = 65_535;

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

        /// A client without a will.
        Client(String id, Duration sessionExpiry) {
            this(id, sessionExpiry, RECEIVE_MAX, null);
        }

        /// A client of a random name, without a will.
        static Client unnamed(Duration sessionExpiry) {
            return new Client("rsm-" + Topics.nonce(), sessionExpiry);
        }

        /// A client of a random name that the broker forgets, and that acknowledges at once.
        static Client passing() {
            return new Client("rsm-" + Topics.nonce(), Duration.ZERO, RECEIVE_ALL, null);
        }
    }

    private final MqttOptions options;
    private final Mqtt5AsyncClient client;
    private final CompletableFuture<Throwable> end = new CompletableFuture<>();

    /// Fails when the connection ends. All answers share this future: a future for each answer
    /// would stay in memory until the connection ends.
    private final CompletableFuture<Boolean> lost =
            end.thenCompose(CompletableFuture::failedFuture);

    private final Mqtt5ConnAck answer;

    private Connection(
            MqttOptions options, Client who, BiConsumer<Connection, Mqtt5Publish> listener)
            throws IOException {
        this.options = options;
        client =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(who.id())
                        .transportConfig(transport(options))
                        // What comes is handed over by the thread that read it: listeners are
                        // quick, and another thread between would cost more than they do.
                        .executorConfig()
                        .applicationScheduler(Schedulers.trampoline())
                        .applyExecutorConfig()
                        .addDisconnectedListener(context -> end.complete(context.getCause()))
                        .buildAsync();
        // Before the connection: what comes while nobody listens would be acknowledged unheard.
        Disposable listening =
                client.toRx()
                        .publishes(MqttGlobalPublishFilter.ALL, true)
                        // An end with an error is the end of the connection, which is told.
                        .subscribe(publish -> hand(publish, listener), _ -> {});
        // The library keeps its threads for listeners of sessions that the broker remembers.
        var _ = end.thenRun(listening::dispose);
        answer = connect(who);
        if (answer.getRestrictions().getMaximumQos() == MqttQos.AT_MOST_ONCE) {
            close();
            throw new NotLetInException(
                    options.broker + ": confirms no messages, expected quality of service 1");
        }
    }

    private static MqttClientTransportConfig transport(MqttOptions options) {
        long millis = options.patience.toMillis();
        return MqttClientTransportConfig.builder()
                .serverHost(options.broker.literal())
                .serverPort(options.broker.port())
                .socketConnectTimeout(millis, TimeUnit.MILLISECONDS)
                .mqttConnectTimeout(millis, TimeUnit.MILLISECONDS)
                .sslConfig(
                        options.broker.isEncrypted()
                                ? MqttClientSslConfig.builder()
                                        .trustManagerFactory(options.trusted)
                                        .build()
                                : null)
                .build();
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

    private Mqtt5ConnAck connect(Client who) throws IOException {
        Mqtt5Connect connect =
                Mqtt5Connect.builder()
                        .cleanStart(who.sessionExpiry().isZero())
                        .sessionExpiryInterval(who.sessionExpiry().toSeconds())
                        .keepAlive(KEEP_ALIVE_SECONDS)
                        .simpleAuth(login(options.login))
                        .willPublish(who.will())
                        .restrictions()
                        .receiveMaximum(who.receiveMax())
                        .maximumPacketSize(PACKET_BYTES_MAX)
                        // After a message that is too large, the library would use an alias that
                        // the broker has never heard of, and the broker would hang up.
                        .sendTopicAliasMaximum(0)
                        .applyRestrictions()
                        .build();
        CompletableFuture<Mqtt5ConnAck> connecting = client.connect(connect);
        try {
            return await(connecting.copy());
        } catch (IOException e) {
            // The connection may come to be nevertheless, and would be nobody's.
            var _ = connecting.thenCompose(_ -> client.disconnect());
            throw BrokerProblem.isUnreadable(e) ? BrokerProblem.tooOld(options.broker, e) : e;
        }
    }

    private static @Nullable Mqtt5SimpleAuth login(MqttLogin login) {
        return switch (login) {
            case MqttLogin.Nobody _ -> null;
            case MqttLogin.Password(var user, var password) ->
                    Mqtt5SimpleAuth.builder()
                            .username(user)
                            .password(password.get().getBytes(StandardCharsets.UTF_8))
                            .build();
        };
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
            return new Connection(options, who, listener);
        } catch (AwayException e) {
            if (!isHangUp(e) || !speaksOlder(options)) {
                throw e;
            }
        }
        try {
            // The broker may have been on its way down or up, and is there now.
            return new Connection(options, who, listener);
        } catch (AwayException e) {
            throw isHangUp(e) ? BrokerProblem.tooOld(options.broker, e) : e;
        }
    }

    /// Connects as a client that the broker forgets, that acknowledges everything at once, and that
    /// hears what comes under `filters`.
    static Connection passing(
            MqttOptions options,
            Collection<String> filters,
            Mqtt5RetainHandling kept,
            Consumer<Mqtt5Publish> listener)
            throws IOException {
        Connection opened =
                open(
                        options,
                        Client.passing(),
                        (_, message) -> {
                            message.acknowledge();
                            listener.accept(message);
                        });
        try {
            for (String filter : filters) {
                opened.subscribe(filter, kept);
            }
        } catch (IOException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    /// As above, to publish alone.
    static Connection passing(MqttOptions options) throws IOException {
        return passing(options, List.of(), Mqtt5RetainHandling.DO_NOT_SEND, _ -> {});
    }

    private static boolean isHangUp(AwayException problem) {
        return BrokerProblem.isCausedBy(problem, ConnectionClosedException.class);
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
        var connecting = older.connect();
        // However late the connection comes to be, nobody needs it.
        var _ = connecting.thenCompose(_ -> older.disconnect());
        try {
            var _ = await(options, connecting.copy());
            return true;
        } catch (IOException e) {
            return BrokerProblem.isCausedBy(e, Mqtt3ConnAckException.class);
        }
    }

    /// What the broker said when it let us in.
    Mqtt5ConnAck answer() {
        return answer;
    }

    boolean isUp() {
        return !end.isDone();
    }

    /// Is there when the connection has ended, and says why.
    CompletableFuture<Throwable> end() {
        return end;
    }

    /// Subscribes to one topic or filter, with quality of service 1.
    void subscribe(String filter, Mqtt5RetainHandling kept) throws IOException {
        Mqtt5Subscribe subscribe =
                Mqtt5Subscribe.builder()
                        .topicFilter(filter)
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .retainHandling(kept)
                        .build();
        var _ = await(orLost(client.subscribe(subscribe).thenApply(_ -> true)));
    }

    /// Hands a message over. When the answer is there, the broker has it, and the answer says
    /// whether anybody is to get it, as far as the broker says so.
    CompletableFuture<Boolean> publish(Mqtt5Publish message) {
        return orLost(client.publish(message).thenCompose(Connection::isAwaited));
    }

    /// The answer, or the end of the connection: the library would wait for the next one.
    private CompletableFuture<Boolean> orLost(CompletableFuture<Boolean> answer) {
        return answer.applyToEither(lost, result -> result);
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
        return await(options, pending);
    }

    private static <T> T await(MqttOptions options, CompletableFuture<T> pending)
            throws IOException {
        try {
            return pending.get(options.patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Nobody waits for the answer any more.
            pending.cancel(false);
            throw BrokerProblem.of(options, e);
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
