package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.exceptions.MqttDecodeException;
import com.hivemq.client.mqtt.exceptions.MqttEncodeException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// What went wrong between a client and its broker, in words.
final class BrokerProblem {

    private BrokerProblem() {}

    /// An error that says by its type whether trying again helps.
    static IOException of(MqttOptions options, Throwable problem) {
        return causes(problem)
                .flatMap(cause -> Stream.ofNullable(known(options.broker, cause)))
                .findFirst()
                .orElseGet(() -> away(options, problem));
    }

    private static @Nullable IOException known(BrokerUrl broker, Throwable cause) {
        return switch (cause) {
            case Mqtt5ConnAckException e -> refused(broker, e);
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
            // Larger than the broker takes, whose owner may allow less than an envelope has.
            case MqttEncodeException e ->
                    new RefusedException(broker + ": takes no such message: " + e.getMessage(), e);
            case GeneralSecurityException e ->
                    new NotLetInException(
                            broker + ": its certificate is not trusted: " + reason(e), e);
            default -> null;
        };
    }

    private static AwayException away(MqttOptions options, Throwable problem) {
        String found =
                problem instanceof TimeoutException
                        ? "no answer within " + options.patience.toSeconds() + "s"
                        : reason(problem);
        return new AwayException(
                options.broker + ": " + found + ", expected a broker that answers", problem);
    }

    /// The innermost cause, in words.
    private static String reason(Throwable problem) {
        Throwable innermost = causes(problem).reduce(problem, (_, next) -> next);
        return Optional.ofNullable(innermost.getMessage())
                .orElse(innermost.getClass().getSimpleName());
    }

    static boolean isCausedBy(Throwable problem, Class<? extends Throwable> type) {
        return causes(problem).anyMatch(type::isInstance);
    }

    /// Whether the broker sent what can't be read, as an older broker does in its first answer.
    static boolean isUnreadable(Throwable problem) {
        return isCausedBy(problem, MqttDecodeException.class);
    }

    /// Whether a connection ended because of `reason`.
    static boolean isBecauseOf(Throwable problem, Mqtt5DisconnectReasonCode reason) {
        return causes(problem)
                .anyMatch(cause ->
                        cause instanceof Mqtt5DisconnectException e
                                && e.getMqttMessage().getReasonCode() == reason);
    }

    private static Stream<Throwable> causes(Throwable problem) {
        return Stream.iterate(problem, cause -> cause != null, Throwable::getCause);
    }

    private static IOException refused(BrokerUrl broker, Mqtt5ConnAckException e) {
        Mqtt5ConnAckReasonCode reason = e.getMqttMessage().getReasonCode();
        return switch (reason) {
            case UNSUPPORTED_PROTOCOL_VERSION -> tooOld(broker, e);
            case NOT_AUTHORIZED, BAD_USER_NAME_OR_PASSWORD ->
                    new NotLetInException(broker + ": user or password not accepted", e);
            // A broker that starts, stops or has much to do lets us in later.
            case SERVER_UNAVAILABLE,
                    SERVER_BUSY,
                    QUOTA_EXCEEDED,
                    CONNECTION_RATE_EXCEEDED,
                    UNSPECIFIED_ERROR ->
                    new AwayException(broker + ": does not let us in now, because of " + reason, e);
            default ->
                    new NotLetInException(broker + ": does not let us in, because of " + reason, e);
        };
    }

    static NotLetInException tooOld(BrokerUrl broker, Throwable cause) {
        return new NotLetInException(
                broker + ": does not speak MQTT 5, expected a broker that does", cause);
    }
}
