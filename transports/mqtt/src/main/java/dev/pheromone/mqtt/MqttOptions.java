package dev.pheromone.mqtt;

import dev.pheromone.HiveConfig;
import dev.pheromone.PublicCheck;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Reach;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

import javax.net.ssl.TrustManagerFactory;

/// Where a hive is on an MQTT 5 broker, and how its mail is sent and received. An instance never
/// changes: each `with` method returns a copy.
public final class MqttOptions implements Cloneable {

    /// How long a broker may take to answer.
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /// Longer than a person waits gladly, and many times what a receiver needs that is there.
    static final Duration RECEIPT_WAIT = Duration.ofSeconds(2);

    /// A holiday.
    static final Duration SESSION_EXPIRY = Duration.ofDays(7);

    /// What to do where somebody else receives for an inbox already.
    public enum Joining {
        /// Leave the inbox to the other receiver.
        YIELDS,
        /// Receive in the place of the other receiver, who does not come back by itself.
        TAKES_OVER
    }

    // Set while a copy is made, and never afterwards.
    final BrokerUrl broker;
    final Topics topics;
    MqttLogin login = new MqttLogin.Nobody();
    @Nullable TrustManagerFactory trusted;
    Reach reach;
    HiveConfig config = HiveConfig.defaults();
    TrustList trust = TrustList.empty();
    PublicCheck publicCheck = PublicCheck.REFUSES_ALL;
    Duration patience = PATIENCE;
    Duration receiptWait = RECEIPT_WAIT;
    Duration sessionExpiry = SESSION_EXPIRY;
    Joining joining = Joining.YIELDS;
    @Nullable Signer signer;
    Set<Actor> receivers = Set.of();
    Consumer<String> troubles = _ -> {};

    private MqttOptions(BrokerUrl broker, Topics topics) {
        this.broker = broker;
        this.topics = topics;
        this.reach = broker.reach();
    }

    /// The hive of this name on the broker at `url`, which is `mqtt://host:1883` or `mqtts://…`;
    /// several hives may share a broker. Mail reaches the team if the broker is on this machine,
    /// and else the public; public mail is refused.
    public static MqttOptions of(String url, String hive) {
        return new MqttOptions(BrokerUrl.parse(url), new Topics(hive));
    }

    /// The same, logging in so.
    public MqttOptions withLogin(MqttLogin login) {
        if (login instanceof MqttLogin.Password && !broker.isEncrypted() && !broker.isLoopback()) {
            throw new IllegalArgumentException(
                    "url: found mqtt:// to "
                            + broker.host()
                            + " with a password, expected mqtts://");
        }
        return with(copy -> copy.login = login);
    }

    /// The same, trusting the certificates of `trusted` where the url says `mqtts`, instead of the
    /// JDK's own. A factory, because the library takes one.
    public MqttOptions withTrusted(TrustManagerFactory trusted) {
        return with(copy -> copy.trusted = trusted);
    }

    /// The same, with mail getting as far as declared here.
    public MqttOptions withReach(Reach reach) {
        return with(copy -> copy.reach = reach);
    }

    /// The same, with a hive's lanes and trusted keys.
    public MqttOptions withConfig(HiveConfig config, TrustList trust) {
        return with(copy -> {
            copy.config = config;
            copy.trust = trust;
        });
    }

    /// The same, with `publicCheck` looking through public mail.
    public MqttOptions withPublicCheck(PublicCheck publicCheck) {
        return with(copy -> copy.publicCheck = publicCheck);
    }

    /// The same, waiting for the broker for at most `patience`.
    public MqttOptions withPatience(Duration patience) {
        return with(copy -> copy.patience = atLeast(Duration.ofMillis(1), "patience", patience));
    }

    /// The same, with a sender waiting so long for a receipt once the broker has its mail. With
    /// zero the broker's word is all that is waited for.
    public MqttOptions withReceiptWait(Duration receiptWait) {
        return with(copy -> copy.receiptWait = atLeast(Duration.ZERO, "receiptWait", receiptWait));
    }

    /// The same, with the broker keeping mail so long for a receiver that is gone.
    MqttOptions withSessionExpiry(Duration sessionExpiry) {
        return with(copy -> copy.sessionExpiry = sessionExpiry);
    }

    /// The same, joining so.
    public MqttOptions withJoining(Joining joining) {
        return with(copy -> copy.joining = joining);
    }

    /// The same, signing receipts.
    public MqttOptions withSigner(Signer signer) {
        return with(copy -> copy.signer = signer);
    }

    /// The same, believing the receipts of these receivers alone; anybody's, if there are none.
    public MqttOptions withReceivers(Set<Actor> receivers) {
        return with(copy -> copy.receivers = Set.copyOf(receivers));
    }

    /// The same, telling `troubles` in words what was wrong with messages and connections. Several
    /// threads may call it; what it throws is ignored, so that a log that fails stops no mail.
    public MqttOptions withTroubles(Consumer<String> troubles) {
        return with(copy ->
                copy.troubles =
                        what -> {
                            try {
                                troubles.accept(what);
                            } catch (RuntimeException e) {
                                // Nobody is left to be told.
                            }
                        });
    }

    private static Duration atLeast(Duration min, String name, Duration found) {
        if (found.compareTo(min) < 0) {
            throw new IllegalArgumentException(
                    name + ": found " + found + ", expected at least " + min);
        }
        return found;
    }

    private MqttOptions with(Consumer<MqttOptions> change) {
        MqttOptions copy = clone();
        change.accept(copy);
        return copy;
    }

    @Override
    protected MqttOptions clone() {
        try {
            return (MqttOptions) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}
