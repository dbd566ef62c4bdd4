package dev.pheromone.mqtt;

import dev.pheromone.Actor;
import dev.pheromone.Signer;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/// How a [MqttCarrier] sends and receives.
///
/// @param hive the broker, and the hive's name there
/// @param receiptWait how long a sender waits for a receipt once the broker has its mail
/// @param sessionExpiry how long the broker keeps mail for a receiver that is gone
/// @param joining what happens where somebody else receives for an inbox already
/// @param signer signs receipts, if there is one
/// @param receivers whose receipts count; anybody's, if empty
/// @param troubles hears what was wrong with messages and connections, in words
public record CarrierOptions(
        MqttOptions hive,
        Duration receiptWait,
        Duration sessionExpiry,
        Joining joining,
        @Nullable Signer signer,
        Set<Actor> receivers,
        Consumer<String> troubles) {

    /// Longer than a person waits gladly, and many times what a receiver needs that is there.
    static final Duration RECEIPT_WAIT = Duration.ofSeconds(2);

    /// A holiday.
    static final Duration SESSION_EXPIRY = Duration.ofDays(7);

    /// What to do where somebody else receives for an inbox already.
    public enum Joining {
        /// Leave it to that one.
        YIELDS,
        /// Receive in the place of that one, who does not come back by itself.
        TAKES_OVER
    }

    public CarrierOptions {
        receivers = Set.copyOf(receivers);
        if (!receiptWait.isPositive() || sessionExpiry.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "waits: found "
                            + receiptWait
                            + " and "
                            + sessionExpiry
                            + ", expected more than zero, and at least a second");
        }
        var _ = new Topics(hive.hive());
    }

    /// With what is usual.
    public static CarrierOptions of(MqttOptions hive) {
        return new CarrierOptions(
                hive, RECEIPT_WAIT, SESSION_EXPIRY, Joining.YIELDS, null, Set.of(), _ -> {});
    }

    /// The same, waiting so long for a receipt.
    public CarrierOptions withReceiptWait(Duration receiptWait) {
        return new CarrierOptions(
                hive, receiptWait, sessionExpiry, joining, signer, receivers, troubles);
    }

    /// The same, with mail kept so long for who is gone.
    public CarrierOptions withSessionExpiry(Duration sessionExpiry) {
        return new CarrierOptions(
                hive, receiptWait, sessionExpiry, joining, signer, receivers, troubles);
    }

    /// The same, joining so.
    public CarrierOptions withJoining(Joining joining) {
        return new CarrierOptions(
                hive, receiptWait, sessionExpiry, joining, signer, receivers, troubles);
    }

    /// The same, signing receipts.
    public CarrierOptions withSigner(Signer signer) {
        return new CarrierOptions(
                hive, receiptWait, sessionExpiry, joining, signer, receivers, troubles);
    }

    /// The same, believing the receipts of these receivers alone.
    public CarrierOptions withReceivers(Set<Actor> receivers) {
        return new CarrierOptions(
                hive, receiptWait, sessionExpiry, joining, signer, receivers, troubles);
    }

    /// The same, telling troubles to `troubles`, which several threads may call.
    public CarrierOptions withTroubles(Consumer<String> troubles) {
        return new CarrierOptions(
                hive, receiptWait, sessionExpiry, joining, signer, receivers, troubles);
    }
}
