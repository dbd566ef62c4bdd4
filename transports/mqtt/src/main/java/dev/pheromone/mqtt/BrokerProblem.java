package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.exceptions.ConnectionClosedException;
import com.hivemq.client.mqtt.exceptions.MqttDecodeException;
import com.hivemq.client.mqtt.exceptions.MqttEncodeException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;

import dev.pheromone.NotLetInException;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.stream.Stream;

/// What went wrong between a client and its broker, in words.
final class BrokerProblem {

    private BrokerProblem() {}

    /// An error that says by its type whether trying again helps.
    static IOException of(BrokerUrl broker, Throwable cause) {
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
            default -> other(broker, cause);
        };
    }

    private static IOException other(BrokerUrl broker, Throwable cause) {
        Throwable innermost = causes(cause).reduce(cause, (_, next) -> next);
        String reason =
                Optional.ofNullable(innermost.getMessage())
                        .orElse(innermost.getClass().getSimpleName());
        if (causes(cause).anyMatch(GeneralSecurityException.class::isInstance)) {
            return new NotLetInException(
                    broker + ": its certificate is not trusted: " + reason, cause);
        }
        // The answer of an older broker to a client of version 5 can't be read.
        return causes(cause).anyMatch(MqttDecodeException.class::isInstance)
                ? tooOld(broker, cause)
                : new IOException(broker + ": " + reason, cause);
    }

    /// Whether the broker hung up without a word.
    static boolean isHangUp(Throwable problem) {
        return causes(problem).anyMatch(ConnectionClosedException.class::isInstance);
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
                    new IOException(broker + ": does not let us in now, because of " + reason, e);
            default ->
                    new NotLetInException(broker + ": does not let us in, because of " + reason, e);
        };
    }

    static NotLetInException tooOld(BrokerUrl broker, Throwable cause) {
        return new NotLetInException(
                broker + ": does not speak MQTT 5, expected a broker that does", cause);
    }
}
