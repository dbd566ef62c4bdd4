package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfig;
import com.hivemq.client.mqtt.MqttClientTransportConfigBuilder;
import com.hivemq.client.mqtt.exceptions.MqttDecodeException;
import com.hivemq.client.mqtt.exceptions.MqttEncodeException;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;

import dev.pheromone.NotLetInException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// How a broker is reached, by every connection alike, and what its answers mean.
final class Dial {

    static {
        // Below the library is Netty, which calls what the JDK has deprecated unless it is told
        // otherwise; and the JDK says so on stderr, once a process.
        String noUnsafe = "io.netty.noUnsafe";
        if (System.getProperty(noUnsafe) == null) {
            System.setProperty(noUnsafe, "true");
        }
    }

    private Dial() {}

    /// A client with the identifier `id` that can log in.
    static Mqtt5ClientBuilder client(MqttOptions options, String id) {
        Mqtt5ClientBuilder builder =
                MqttClient.builder().useMqttVersion5().identifier(id).transportConfig(way(options));
        if (options.login instanceof MqttLogin.Password(var user, var password)) {
            builder =
                    builder.simpleAuth()
                            .username(user)
                            .password(password.get().getBytes(StandardCharsets.UTF_8))
                            .applySimpleAuth();
        }
        return builder;
    }

    private static MqttClientTransportConfig way(MqttOptions options) {
        BrokerUrl broker = options.broker;
        long millis = options.patience.toMillis();
        MqttClientTransportConfigBuilder way =
                MqttClientTransportConfig.builder()
                        .serverHost(broker.literal())
                        .serverPort(broker.port())
                        .socketConnectTimeout(millis, TimeUnit.MILLISECONDS)
                        .mqttConnectTimeout(millis, TimeUnit.MILLISECONDS);
        if (broker.isEncrypted()) {
            way =
                    way.sslConfig(
                            MqttClientSslConfig.builder()
                                    .trustManagerFactory(options.trusted)
                                    .build());
        }
        return way.build();
    }

    /// Whether the broker answers clients of the MQTT before version 5, whatever it says to them.
    static boolean speaksOlder(MqttOptions options) {
        var client =
                MqttClient.builder()
                        .useMqttVersion3()
                        .identifier("rsm-" + Nonce.random())
                        .transportConfig(way(options))
                        .buildAsync();
        try {
            var _ = client.connect().get(options.patience.toMillis(), TimeUnit.MILLISECONDS);
            var _ = client.disconnect();
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

    /// The answer, if it comes in time.
    static <T> T await(CompletableFuture<T> answer, Duration timeout, BrokerUrl broker)
            throws IOException {
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw problem(broker, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            // Nobody waits for it any more.
            answer.cancel(false);
            throw new IOException(
                    broker + ": no answer within " + timeout.toSeconds() + "s, expected one", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + broker);
        }
    }

    static NotLetInException tooOld(BrokerUrl broker, Throwable cause) {
        return new NotLetInException(
                broker + ": does not speak MQTT 5, expected a broker that does", cause);
    }

    /// What went wrong, in words, as an error that says whether trying again helps.
    static IOException problem(BrokerUrl broker, Throwable cause) {
        return switch (cause) {
            case Mqtt5ConnAckException e -> notConnected(broker, e);
            case Mqtt5PubAckException e ->
                    new RefusedException(
                            broker
                                    + ": takes no message, because of "
                                    + e.getMqttMessage().getReasonCode(),
                            e);
            case Mqtt5SubAckException e ->
                    new RefusedException(
                            broker
                                    + ": shows nothing, because of "
                                    + e.getMqttMessage().getReasonCodes(),
                            e);
            // Larger than the broker takes; who configured it may allow less than an envelope has.
            case MqttEncodeException e ->
                    new RefusedException(broker + ": takes no such message: " + e.getMessage(), e);
            default -> {
                if (isCausedBy(cause, GeneralSecurityException.class)) {
                    yield new NotLetInException(
                            broker + ": its certificate is not trusted: " + innermost(cause),
                            cause);
                }
                // The answer of an older broker to a client of version 5 can't be read.
                yield isCausedBy(cause, MqttDecodeException.class)
                        ? tooOld(broker, cause)
                        : new IOException(broker + ": " + innermost(cause), cause);
            }
        };
    }

    private static NotLetInException notConnected(BrokerUrl broker, Mqtt5ConnAckException e) {
        Mqtt5ConnAckReasonCode reason = e.getMqttMessage().getReasonCode();
        return switch (reason) {
            case UNSUPPORTED_PROTOCOL_VERSION -> tooOld(broker, e);
            case NOT_AUTHORIZED, BAD_USER_NAME_OR_PASSWORD ->
                    new NotLetInException(broker + ": user or password not accepted", e);
            default ->
                    new NotLetInException(broker + ": does not let us in, because of " + reason, e);
        };
    }

    private static boolean isCausedBy(Throwable problem, Class<? extends Throwable> kind) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    private static String innermost(Throwable cause) {
        Throwable last = cause;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        String message = last.getMessage();
        return message == null ? last.getClass().getSimpleName() : message;
    }
}
